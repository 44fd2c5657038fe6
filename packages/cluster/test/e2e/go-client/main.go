// A Go client as Kubernetes' users write it: client-go's shared informers, typed and dynamic clients, nothing set but
// the kubeconfig. So it sends protobuf for built-in kinds, prefers it in answers, and streams its lists (WatchList).
//
// Usage: go-client KUBECONFIG. It works in a namespace of its own, prints what it saw as one JSON object per step, and
// ends with code 1 and a sentence at the first thing that is not so within its deadline. The lines hold nothing that
// differs from run to run: go-client.test.ts expects the same ones of a real API server and of the embedded one.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	appsapply "k8s.io/client-go/applyconfigurations/apps/v1"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	appslisters "k8s.io/client-go/listers/apps/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

const namespace = "go-client"

type fact map[string]any

// program holds the clients, and the readers and signals of the informers.
type program struct {
	typed       kubernetes.Interface
	dynamic     dynamic.Interface
	deployments appslisters.DeploymentNamespaceLister
	pods        corelisters.PodNamespaceLister
	gadgets     cache.GenericNamespaceLister
	// changed has something to read whenever an informer told of a change since it was last read.
	changed chan struct{}
	// seen are the changes of gadgets, in order.
	seen chan string
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := run(ctx, os.Args[1]); err != nil {
		fmt.Fprintf(os.Stderr, "go-client: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	wire := &wire{}
	config.Wrap(wire.around)
	p := &program{changed: make(chan struct{}, 1), seen: make(chan string, 100)}
	if p.typed, err = kubernetes.NewForConfig(config); err != nil {
		return err
	}
	if p.dynamic, err = dynamic.NewForConfig(config); err != nil {
		return err
	}
	steps := []struct {
		name string
		do   func(context.Context) (fact, error)
	}{
		{"create", p.create},
		{"sync", p.sync},
		{"ready", p.ready},
		{"merge patch", p.mergePatch},
		{"apply with a conflict", p.applyWithConflict},
		{"apply by force", p.applyByForce},
		{"config map", p.configMap},
		{"custom resource", p.customResource},
		{"delete", p.delete},
		{"wire", wire.summary},
	}
	for _, step := range steps {
		saw, err := step.do(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		saw["step"] = step.name
		if err := json.NewEncoder(os.Stdout).Encode(saw); err != nil {
			return err
		}
	}
	return nil
}

// create makes what the informers will find when they start: a definition, a namespace, a Deployment, a custom resource.
func (p *program) create(ctx context.Context) (fact, error) {
	version, err := p.typed.Discovery().ServerVersion()
	if err != nil {
		return nil, err
	}
	definitions := p.dynamic.Resource(definitionResource)
	if _, err := definitions.Create(ctx, gadgetDefinition, metav1.CreateOptions{}); err != nil {
		return nil, err
	}
	if err := p.established(ctx); err != nil {
		return nil, err
	}
	wanted := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	if _, err := p.typed.CoreV1().Namespaces().Create(ctx, wanted, metav1.CreateOptions{}); err != nil {
		return nil, err
	}
	deployment, err := p.typed.AppsV1().Deployments(namespace).Create(ctx, web(2), metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	gadget, err := p.gadgetClient().Create(ctx, gadget("first", fact{"colour": "red"}), metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	return fact{
		"server":     version.Major + "." + version.Minor,
		"generation": deployment.Generation,
		"strategy":   deployment.Spec.Strategy.Type, // as defaulted by the server
		"pullPolicy": deployment.Spec.Template.Spec.Containers[0].ImagePullPolicy,
		"gadget":     gadget.Object["spec"],
	}, nil
}

// established waits until the server serves gadgets.
func (p *program) established(ctx context.Context) error {
	return wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		_, err := p.gadgetClient().List(ctx, metav1.ListOptions{Limit: 1})
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		return err == nil, err
	})
}

func (p *program) namespaceGone(ctx context.Context) error {
	return wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		_, err := p.typed.CoreV1().Namespaces().Get(ctx, namespace, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return false, err
	})
}

// sync starts the informers, and reads through their listers what was there before.
func (p *program) sync(ctx context.Context) (fact, error) {
	typed := informers.NewSharedInformerFactoryWithOptions(p.typed, 0, informers.WithNamespace(namespace))
	custom := dynamicinformer.NewFilteredDynamicSharedInformerFactory(p.dynamic, 0, namespace, nil)
	deployments, pods, gadgets := typed.Apps().V1().Deployments(), typed.Core().V1().Pods(), custom.ForResource(gadgetResource)
	p.deployments = deployments.Lister().Deployments(namespace)
	p.pods = pods.Lister().Pods(namespace)
	p.gadgets = gadgets.Lister().ByNamespace(namespace)
	for _, informer := range []cache.SharedIndexInformer{deployments.Informer(), pods.Informer()} {
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(any) { p.poke() },
			UpdateFunc: func(any, any) { p.poke() },
			DeleteFunc: func(any) { p.poke() },
		}); err != nil {
			return nil, err
		}
	}
	if _, err := gadgets.Informer().AddEventHandler(cache.ResourceEventHandlerDetailedFuncs{
		AddFunc:    func(object any, initial bool) { p.tell(fmt.Sprintf("add %s, initial %t", sizeOf(object), initial)) },
		UpdateFunc: func(old, object any) { p.tell(fmt.Sprintf("update %s to %s", sizeOf(old), sizeOf(object))) },
		DeleteFunc: func(object any) { p.tell("delete " + sizeOf(object)) },
	}); err != nil {
		return nil, err
	}
	typed.Start(ctx.Done())
	custom.Start(ctx.Done())
	synced := fact{}
	for kind, ok := range typed.WaitForCacheSync(ctx.Done()) {
		synced[kind.Elem().Name()] = ok
	}
	for resource, ok := range custom.WaitForCacheSync(ctx.Done()) {
		synced[resource.Resource] = ok
	}
	listed, err := p.deployments.List(labels.Everything())
	if err != nil {
		return nil, err
	}
	return fact{"synced": synced, "deployments": namesOf(listed)}, nil
}

func (p *program) ready(ctx context.Context) (fact, error) {
	return p.untilPods(ctx, 2)
}

func (p *program) mergePatch(ctx context.Context) (fact, error) {
	options := metav1.PatchOptions{FieldManager: "go-merge"}
	patch := []byte(`{"spec":{"replicas":3}}`)
	if _, err := p.typed.AppsV1().Deployments(namespace).Patch(ctx, "web", types.MergePatchType, patch, options); err != nil {
		return nil, err
	}
	return p.untilPods(ctx, 3)
}

// applyWithConflict wants another number of replicas than the merge patch wrote, and is refused.
func (p *program) applyWithConflict(ctx context.Context) (fact, error) {
	_, err := p.typed.AppsV1().Deployments(namespace).Apply(ctx, oneReplica(), metav1.ApplyOptions{FieldManager: "go-apply"})
	return refusal(err)
}

func (p *program) applyByForce(ctx context.Context) (fact, error) {
	options := metav1.ApplyOptions{FieldManager: "go-apply", Force: true}
	deployment, err := p.typed.AppsV1().Deployments(namespace).Apply(ctx, oneReplica(), options)
	if err != nil {
		return nil, err
	}
	saw, err := p.untilPods(ctx, 1)
	if err != nil {
		return nil, err
	}
	managers := []string{}
	for _, entry := range deployment.ManagedFields {
		if strings.HasPrefix(entry.Manager, "go-") {
			managers = append(managers, fmt.Sprintf("%s %s", entry.Manager, entry.Operation))
		}
	}
	sort.Strings(managers)
	saw["managers"] = managers
	saw["note"] = deployment.Annotations["go-client.example.com/note"]
	return saw, nil
}

// configMap applies, updates, is refused for a stale version, and patches strategically.
func (p *program) configMap(ctx context.Context) (fact, error) {
	client := p.typed.CoreV1().ConfigMaps(namespace)
	wanted := coreapply.ConfigMap("settings", namespace).WithData(map[string]string{"mode": "fast"})
	applied, err := client.Apply(ctx, wanted, metav1.ApplyOptions{FieldManager: "go-apply"})
	if err != nil {
		return nil, err
	}
	again, err := client.Apply(ctx, wanted, metav1.ApplyOptions{FieldManager: "go-apply"})
	if err != nil {
		return nil, err
	}
	newer := again.DeepCopy()
	newer.BinaryData = map[string][]byte{"bytes": {0, 1, 255}}
	if _, err := client.Update(ctx, newer, metav1.UpdateOptions{}); err != nil {
		return nil, err
	}
	_, stale := client.Update(ctx, again, metav1.UpdateOptions{})
	patched, err := client.Patch(ctx, "settings", types.StrategicMergePatchType, []byte(`{"data":{"level":"2"}}`), metav1.PatchOptions{})
	if err != nil {
		return nil, err
	}
	saw, err := refusal(stale)
	if err != nil {
		return nil, err
	}
	saw["secondApplyWrote"] = again.ResourceVersion != applied.ResourceVersion
	saw["data"] = patched.Data
	saw["bytes"] = len(patched.BinaryData["bytes"])
	return saw, nil
}

func (p *program) customResource(ctx context.Context) (fact, error) {
	_, invalid := p.gadgetClient().Create(ctx, gadget("second", fact{"size": int64(9)}), metav1.CreateOptions{})
	saw, err := refusal(invalid)
	if err != nil {
		return nil, err
	}
	patch := []byte(`{"spec":{"size":4}}`)
	if _, err := p.gadgetClient().Patch(ctx, "first", types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return nil, err
	}
	first, err := p.told(ctx, 2)
	if err != nil {
		return nil, err
	}
	listed, err := p.gadgets.List(labels.Everything())
	if err != nil {
		return nil, err
	}
	saw["seen"] = first
	saw["listed"] = len(listed)
	return saw, nil
}

// delete ends everything: the Deployment in the foreground, so that its pods go first, and the namespace with the rest.
func (p *program) delete(ctx context.Context) (fact, error) {
	foreground := metav1.DeletePropagationForeground
	options := metav1.DeleteOptions{PropagationPolicy: &foreground}
	if err := p.typed.AppsV1().Deployments(namespace).Delete(ctx, "web", options); err != nil {
		return nil, err
	}
	saw, err := p.untilPods(ctx, 0)
	if err != nil {
		return nil, err
	}
	if err := p.typed.CoreV1().Namespaces().Delete(ctx, namespace, metav1.DeleteOptions{}); err != nil {
		return nil, err
	}
	last, err := p.told(ctx, 1)
	if err != nil {
		return nil, err
	}
	saw["seen"] = last
	if err := p.namespaceGone(ctx); err != nil {
		return nil, err
	}
	return saw, p.dynamic.Resource(definitionResource).Delete(ctx, gadgetDefinition.GetName(), metav1.DeleteOptions{})
}

// untilPods waits until the listers show that many pods, all ready, of a Deployment that reports them; without pods,
// until the Deployment is gone, too.
func (p *program) untilPods(ctx context.Context, count int) (fact, error) {
	for {
		pods, err := p.pods.List(labels.SelectorFromSet(labels.Set{"app": "web"}))
		if err != nil {
			return nil, err
		}
		ready := 0
		for _, pod := range pods {
			for _, condition := range pod.Status.Conditions {
				if condition.Type == corev1.PodReady && condition.Status == corev1.ConditionTrue {
					ready++
				}
			}
		}
		deployment, err := p.deployments.Get("web")
		gone := apierrors.IsNotFound(err)
		if err != nil && !gone {
			return nil, err
		}
		if count == 0 && gone && len(pods) == 0 {
			return fact{"pods": 0}, nil
		}
		if count > 0 && !gone && len(pods) == count && ready == count && deployment.Status.ReadyReplicas == int32(count) &&
			deployment.Status.ObservedGeneration == deployment.Generation {
			return fact{"pods": count, "generation": deployment.Generation}, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("waited in vain for %d ready pods, the informers show %d, %d of them ready", count, len(pods), ready)
		case <-p.changed:
		}
	}
}

func (p *program) poke() {
	select {
	case p.changed <- struct{}{}:
	default: // it is already known that something changed
	}
}

func (p *program) tell(change string) { p.seen <- change }

// told waits for that many changes of gadgets.
func (p *program) told(ctx context.Context, count int) ([]string, error) {
	changes := []string{}
	for len(changes) < count {
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("waited in vain for %d changes of gadgets, saw %v", count, changes)
		case change := <-p.seen:
			changes = append(changes, change)
		}
	}
	return changes, nil
}

func (p *program) gadgetClient() dynamic.ResourceInterface {
	return p.dynamic.Resource(gadgetResource).Namespace(namespace)
}

// refusal is what a server said against something that it had to refuse.
func refusal(err error) (fact, error) {
	status, ok := err.(apierrors.APIStatus)
	if !ok {
		return nil, fmt.Errorf("expected a refusal, got: %v", err)
	}
	causes := []string{}
	if details := status.Status().Details; details != nil {
		for _, cause := range details.Causes {
			causes = append(causes, fmt.Sprintf("%s %s", cause.Type, cause.Field))
		}
	}
	return fact{"reason": status.Status().Reason, "causes": causes}, nil
}

func namesOf(deployments []*appsv1.Deployment) []string {
	names := []string{}
	for _, each := range deployments {
		names = append(names, each.Name)
	}
	return names
}

func sizeOf(object any) string {
	if last, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = last.Obj
	}
	gadget := object.(*unstructured.Unstructured)
	size, _, _ := unstructured.NestedInt64(gadget.Object, "spec", "size")
	return fmt.Sprintf("%s of size %d", gadget.GetName(), size)
}

func web(replicas int32) *appsv1.Deployment {
	app := map[string]string{"app": "web"}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: app},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: app},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web:1"}}},
			},
		},
	}
}

func oneReplica() *appsapply.DeploymentApplyConfiguration {
	return appsapply.Deployment("web", namespace).
		WithAnnotations(map[string]string{"go-client.example.com/note": "applied"}).
		WithSpec(appsapply.DeploymentSpec().WithReplicas(1))
}

var (
	definitionResource = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	gadgetResource     = schema.GroupVersionResource{Group: "go-client.example.com", Version: "v1", Resource: "gadgets"}
)

func gadget(name string, spec fact) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": gadgetResource.GroupVersion().String(),
		"kind":       "Gadget",
		"metadata":   map[string]any{"name": name},
		"spec":       map[string]any(spec),
	}}
}

var gadgetDefinition = fromJSON(`{
  "apiVersion": "apiextensions.k8s.io/v1",
  "kind": "CustomResourceDefinition",
  "metadata": {"name": "gadgets.go-client.example.com"},
  "spec": {
    "group": "go-client.example.com",
    "scope": "Namespaced",
    "names": {"plural": "gadgets", "singular": "gadget", "kind": "Gadget", "listKind": "GadgetList"},
    "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
      "type": "object",
      "properties": {"spec": {
        "type": "object",
        "properties": {
          "colour": {"type": "string"},
          "size": {"type": "integer", "minimum": 1, "maximum": 5, "default": 1}
        }
      }}
    }}}]
  }
}`)

func fromJSON(text string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	if _, _, err := unstructured.UnstructuredJSONScheme.Decode([]byte(text), nil, object); err != nil {
		panic(err)
	}
	return object
}
