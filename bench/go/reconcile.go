package main

import (
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const instanceIndex = "instance"

type reconciler struct {
	client client.Client
	scheme *runtime.Scheme
	apply  bool
}

func (r *reconciler) setUp(manager ctrl.Manager, workers int) error {
	return ctrl.NewControllerManagedBy(manager).
		For(&Cache{}).
		Owns(&appsv1.Deployment{}).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(cacheOfPod)).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).
		Complete(r)
}

func cacheOfPod(_ context.Context, pod client.Object) []reconcile.Request {
	name := pod.GetLabels()[instanceLabel]
	if name == "" {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: pod.GetNamespace(), Name: name}}}
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	cache := &Cache{}
	if err := r.client.Get(ctx, request.NamespacedName, cache); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if cache.DeletionTimestamp != nil {
		return ctrl.Result{}, nil
	}
	write := r.createOrUpdate
	if r.apply {
		write = r.applyDeployment
	}
	deployment, err := write(ctx, cache)
	if err != nil {
		return ctrl.Result{}, err
	}
	pods := &corev1.PodList{}
	if err := r.client.List(ctx, pods, client.InNamespace(cache.Namespace), client.MatchingFields{instanceIndex: cache.Name}, client.UnsafeDisableDeepCopy); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.report(ctx, cache, deployment, pods.Items)
}

func (r *reconciler) createOrUpdate(ctx context.Context, cache *Cache) (*appsv1.Deployment, error) {
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: cache.Namespace, Name: cache.Name}}
	result, err := controllerutil.CreateOrUpdate(ctx, r.client, deployment, func() error {
		if deployment.Labels == nil {
			deployment.Labels = map[string]string{}
		}
		for name, value := range labelsOf(cache) {
			deployment.Labels[name] = value
		}
		deployment.Spec = desiredSpec(cache)
		return controllerutil.SetControllerReference(cache, deployment, r.scheme)
	})
	if result != controllerutil.OperationResultNone {
		log.FromContext(ctx).Info("Deployment "+string(result), "Deployment.Name", deployment.Name)
	}
	return deployment, err
}

// applyDeployment sends its description in each pass: controller-runtime does not find out whether it would change
// anything.
func (r *reconciler) applyDeployment(ctx context.Context, cache *Cache) (*appsv1.Deployment, error) {
	deployment := &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{Namespace: cache.Namespace, Name: cache.Name, Labels: labelsOf(cache)},
		Spec:       desiredSpec(cache),
	}
	if err := controllerutil.SetControllerReference(cache, deployment, r.scheme); err != nil {
		return nil, err
	}
	described, err := runtime.DefaultUnstructuredConverter.ToUnstructured(deployment)
	if err != nil {
		return nil, err
	}
	delete(described, "status")
	applied := &unstructured.Unstructured{Object: described}
	configuration := client.ApplyConfigurationFromUnstructured(applied)
	if err := r.client.Apply(ctx, configuration, client.FieldOwner(operatorName), client.ForceOwnership); err != nil {
		return nil, err
	}
	return deployment, runtime.DefaultUnstructuredConverter.FromUnstructured(applied.Object, deployment)
}

// report writes the status if it differs from the one that the cache has.
func (r *reconciler) report(ctx context.Context, cache *Cache, deployment *appsv1.Deployment, pods []corev1.Pod) error {
	status := cache.DeepCopy().Status
	status.ObservedGeneration = cache.Generation
	status.Nodes = nil
	for i := range pods {
		if pods[i].Status.Phase == corev1.PodRunning && pods[i].DeletionTimestamp == nil {
			status.Nodes = append(status.Nodes, pods[i].Name)
		}
	}
	slices.Sort(status.Nodes)
	available := metav1.Condition{
		Type: "Available", Status: metav1.ConditionFalse, Reason: "ServersNotReady",
		Message: "Not all servers are ready.", ObservedGeneration: cache.Generation,
	}
	if deployment.Status.ReadyReplicas == cache.Spec.Size {
		available.Status, available.Reason, available.Message = metav1.ConditionTrue, "AllServersReady", "All servers are ready."
	}
	meta.SetStatusCondition(&status.Conditions, available)
	if equality.Semantic.DeepEqual(status, cache.Status) {
		return nil
	}
	cache.Status = status
	return r.client.Status().Update(ctx, cache)
}
