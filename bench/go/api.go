package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var groupVersion = schema.GroupVersion{Group: "bench.example.com", Version: "v1"}

// Cache asks for a number of servers.
type Cache struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              CacheSpec   `json:"spec,omitempty"`
	Status            CacheStatus `json:"status,omitempty"`
}

type CacheSpec struct {
	Size int32 `json:"size"`
}

type CacheStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Nodes              []string           `json:"nodes,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

type CacheList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Cache `json:"items"`
}

func addToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(groupVersion, &Cache{}, &CacheList{})
	metav1.AddToGroupVersion(scheme, groupVersion)
	return nil
}

func (in *Cache) DeepCopy() *Cache {
	out := &Cache{TypeMeta: in.TypeMeta, Spec: in.Spec, Status: in.Status}
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Status.Nodes = append([]string(nil), in.Status.Nodes...)
	out.Status.Conditions = append([]metav1.Condition(nil), in.Status.Conditions...)
	return out
}

func (in *Cache) DeepCopyObject() runtime.Object { return in.DeepCopy() }

func (in *CacheList) DeepCopyObject() runtime.Object {
	out := &CacheList{TypeMeta: in.TypeMeta}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		out.Items = append(out.Items, *in.Items[i].DeepCopy())
	}
	return out
}
