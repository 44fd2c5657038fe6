// +groupName=compared.example.com
// +versionName=v1alpha1
package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:object:root=true
// +kubebuilder:deprecatedversion:warning="use v1"
type Versioned struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +required
	Spec VersionedSpec `json:"spec"`
}

type VersionedSpec struct {
	// +kubebuilder:validation:Maximum=5
	// +required
	Size int32 `json:"size"`
}
