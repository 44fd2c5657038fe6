// Types with markers, from which controller-gen makes CRDs; ours are in ../ours.ts, and must mean the same.

// +groupName=compared.example.com
// +versionName=v1
package v1
