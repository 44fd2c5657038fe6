// Pause holds namespaces open: a pod's as the sandbox process, and the node's as its process 1.
//
// It adopts whatever its namespace orphans and reaps it, and ends on SIGINT or SIGTERM. Written in Go rather
// than C because Go is needed to build Kubernetes anyway, and without cgo the result runs in an empty image.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGCHLD)
	for received := range signals {
		if received != syscall.SIGCHLD {
			return
		}
		// One SIGCHLD may stand for many children.
		for {
			pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
			if err == syscall.EINTR {
				continue
			}
			if pid <= 0 || err != nil {
				break
			}
		}
	}
}
