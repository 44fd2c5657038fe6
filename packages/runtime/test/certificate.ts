/** A certificate of 127.0.0.1 for tests, made once with openssl (P-256, a hundred years). Its key protects nothing. */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUataGnlX7khYywdIoeyttSWjs8S4wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTExNzAwMzUwOFoYDzIxMjYxMDI0
MDAzNTA4WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATKD/1L0JMehh3ei0fMrX7wlRlaml0guiP13wk/SJ0o6HWV0teKp/of
YZGy9PtODR7qDkwk3lliZAZw1VMhmp32o28wbTAdBgNVHQ4EFgQULYLKgGI5HAmY
WpgVML0wte23BUcwHwYDVR0jBBgwFoAULYLKgGI5HAmYWpgVML0wte23BUcwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARhwR/AAABgglsb2NhbGhvc3QwCgYIKoZI
zj0EAwIDSAAwRQIgG5gPPtTS5+ce2yLgatnqExSii+GRdrh0AmIL5QonDtkCIQC9
u5eTaXYC6EEbe4trWa2B5U6VtPAuizmY++Gd6BKr6g==
-----END CERTIFICATE-----
`;

/** The key of that certificate. */
export const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgRlTgjUpJnEiR08V/
JzlQc4o4BB/U5MQxDR+C3WfSxMShRANCAATKD/1L0JMehh3ei0fMrX7wlRlaml0g
uiP13wk/SJ0o6HWV0teKp/ofYZGy9PtODR7qDkwk3lliZAZw1VMhmp32
-----END PRIVATE KEY-----
`;
