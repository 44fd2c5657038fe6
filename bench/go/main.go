// The peer of `npm run bench -- engine`: an operator on controller-runtime, as a Go author who cares for speed writes it.
//
// It promises the same as the one beside it (src/subjects/engine): the whole Deployment of each Cache is enforced, what
// the API server would fill in is named, and the status tells the running pods and whether all servers are ready.
// Client-side rate limits are off, managedFields are stripped from the caches, pods are found by an index.
package main

import (
	"flag"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

func main() {
	namespace := flag.String("namespace", "default", "where Caches are looked after")
	workers := flag.Int("workers", 1, "how many Caches are looked at at the same time")
	apply := flag.Bool("apply", false, "write by server-side apply instead of create and update")
	flag.Parse() // with --kubeconfig, which controller-runtime brings
	ctrl.SetLogger(zap.New())
	if err := run(*namespace, *workers, *apply); err != nil {
		ctrl.Log.Error(err, "the operator failed")
		os.Exit(1)
	}
}

func run(namespace string, workers int, apply bool) error {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return err
	}
	if err := addToScheme(scheme); err != nil {
		return err
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	config.QPS = -1
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                 scheme,
		Metrics:                server.Options{BindAddress: "127.0.0.1:0"},
		HealthProbeBindAddress: "127.0.0.1:0",
		Cache: cache.Options{
			DefaultNamespaces: map[string]cache.Config{namespace: {}},
			DefaultTransform:  cache.TransformStripManagedFields(),
			ByObject: map[client.Object]cache.ByObject{
				&corev1.Pod{}: {Label: labels.SelectorFromSet(map[string]string{nameLabel: serverName})},
			},
		},
	})
	if err != nil {
		return err
	}
	context := ctrl.SetupSignalHandler()
	instanceOf := func(pod client.Object) []string { return []string{pod.GetLabels()[instanceLabel]} }
	if err := manager.GetFieldIndexer().IndexField(context, &corev1.Pod{}, instanceIndex, instanceOf); err != nil {
		return err
	}
	reconciler := &reconciler{client: manager.GetClient(), scheme: scheme, apply: apply}
	if err := reconciler.setUp(manager, workers); err != nil {
		return err
	}
	return manager.Start(context)
}
