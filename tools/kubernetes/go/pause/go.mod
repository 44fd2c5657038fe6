module keelson.example/pause

go 1.24
