package v1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Size",type=integer,JSONPath=`.spec.size`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Cache struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   CacheSpec   `json:"spec,omitempty"`
	Status CacheStatus `json:"status,omitempty"`
}

type CacheSpec struct {
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=5
	// +kubebuilder:default=1
	// +optional
	Size int32 `json:"size,omitempty"`
}

type CacheStatus struct {
	// +optional
	Nodes []string `json:"nodes,omitempty"`
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// +kubebuilder:object:root=true
type Limits struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +required
	Spec LimitsSpec `json:"spec"`
}

// +kubebuilder:validation:Enum=Allow;Deny
type Policy string

type LimitsSpec struct {
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:ExclusiveMinimum=true
	// +kubebuilder:validation:Maximum=100
	// +kubebuilder:validation:ExclusiveMaximum=true
	// +kubebuilder:validation:MultipleOf=5
	Step int64 `json:"step"`
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=9
	// +kubebuilder:validation:Pattern=`^[a-z]+$`
	Name string `json:"name"`
	// +kubebuilder:validation:Format=ipv4
	Address string `json:"address"`
	Policy  Policy `json:"policy"`
	Enabled bool   `json:"enabled"`
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=4
	Labels map[string]string `json:"labels"`
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=3
	// +kubebuilder:validation:items:Maximum=65535
	Ports []int32 `json:"ports"`
}

// +kubebuilder:object:root=true
type Merged struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +required
	Spec MergedSpec `json:"spec"`
}

type MergedSpec struct {
	// +listType=set
	// +optional
	Tags []string `json:"tags,omitempty"`
	// +listType=atomic
	// +optional
	Args []string `json:"args,omitempty"`
	// +listType=map
	// +listMapKey=port
	// +listMapKey=protocol
	// +optional
	Ports []Port `json:"ports,omitempty"`
	// +mapType=atomic
	// +optional
	Selector map[string]string `json:"selector,omitempty"`
	// +structType=atomic
	// +optional
	Owner *Owner `json:"owner,omitempty"`
}

type Port struct {
	Port int32 `json:"port"`
	// +kubebuilder:default=TCP
	// +optional
	Protocol string `json:"protocol,omitempty"`
}

type Owner struct {
	Name string `json:"name"`
}

// +kubebuilder:object:root=true
type Present struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +required
	Spec PresentSpec `json:"spec"`
}

type PresentSpec struct {
	// +required
	Always string `json:"always"`
	// +optional
	Sometimes *string `json:"sometimes,omitempty"`
	// +nullable
	// +optional
	Null *string `json:"null,omitempty"`
	// +kubebuilder:default=true
	// +optional
	On *bool `json:"on,omitempty"`
	// +kubebuilder:example=web
	// +kubebuilder:title="Label"
	// +kubebuilder:externalDocs:url="https://example.com/docs",description="More."
	// +optional
	Label string `json:"label,omitempty"`
	// +kubebuilder:default={}
	// +optional
	Storage Storage `json:"storage,omitempty"`
}

type Storage struct {
	// +kubebuilder:default=64
	// +optional
	Megabytes int32 `json:"megabytes,omitempty"`
}

// +kubebuilder:object:root=true
type Open struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +required
	Spec OpenSpec `json:"spec"`
}

type OpenSpec struct {
	// +optional
	Port intstr.IntOrString `json:"port,omitempty"`
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Values runtime.RawExtension `json:"values,omitempty"`
	// +kubebuilder:validation:EmbeddedResource
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Object runtime.RawExtension `json:"object,omitempty"`
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Any runtime.RawExtension `json:"any,omitempty"`
}

// +kubebuilder:object:root=true
type Ruled struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +required
	Spec RuledSpec `json:"spec"`
}

// +kubebuilder:validation:XValidation:rule="self.min <= self.max",message="min is above max",reason=FieldValueForbidden,fieldPath=".min"
type RuledSpec struct {
	Min int32 `json:"min"`
	// +kubebuilder:validation:XValidation:rule="!oldSelf.hasValue() || self >= oldSelf.value()",messageExpression="'it may ' + 'only grow'",optionalOldSelf=true
	Max int32 `json:"max"`
	// +k8s:immutable
	// +kubebuilder:validation:MaxLength=63
	Class string `json:"class"`
}

// +kubebuilder:object:root=true
type Choice struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +required
	Spec ChoiceSpec `json:"spec"`
}

type ChoiceSpec struct {
	// +optional
	Source *Source `json:"source,omitempty"`
	// +optional
	Target *Target `json:"target,omitempty"`
	// +optional
	Contact *Contact `json:"contact,omitempty"`
}

// +kubebuilder:validation:ExactlyOneOf=file;secret
type Source struct {
	// +optional
	File *string `json:"file,omitempty"`
	// +optional
	Secret *string `json:"secret,omitempty"`
}

// +kubebuilder:validation:AtMostOneOf=host;address
type Target struct {
	// +optional
	Host *string `json:"host,omitempty"`
	// +optional
	Address *string `json:"address,omitempty"`
}

// +kubebuilder:validation:AtLeastOneOf=email;phone
type Contact struct {
	// +optional
	Email *string `json:"email,omitempty"`
	// +optional
	Phone *string `json:"phone,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:resource:path=mice,singular=mouse,shortName=mc,categories=animals,scope=Cluster
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.size,statuspath=.status.size,selectorpath=.status.selector
// +kubebuilder:selectablefield:JSONPath=`.spec.colour`
// +kubebuilder:metadata:labels="team=a",annotations="example.com/owner=b"
// +kubebuilder:printcolumn:name="Colour",type=string,JSONPath=`.spec.colour`,description="Of the fur.",priority=1
type Mouse struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +required
	Spec   MouseSpec   `json:"spec"`
	Status MouseStatus `json:"status,omitempty"`
}

type MouseSpec struct {
	Size   int32  `json:"size"`
	Colour string `json:"colour"`
}

type MouseStatus struct {
	// +optional
	Size int32 `json:"size,omitempty"`
	// +optional
	Selector string `json:"selector,omitempty"`
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:storageversion
type Versioned struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +required
	Spec VersionedSpec `json:"spec"`
}

type VersionedSpec struct {
	Size int32 `json:"size"`
}

// +kubebuilder:object:root=true
type Workload struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +required
	Spec WorkloadSpec `json:"spec"`
}

type WorkloadSpec struct {
	// +optional
	Resources corev1.ResourceRequirements `json:"resources,omitempty"`
	// +optional
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`
	// +optional
	Selector *metav1.LabelSelector `json:"selector,omitempty"`
	// +optional
	Password *corev1.SecretKeySelector `json:"password,omitempty"`
	// +optional
	Memory *resource.Quantity `json:"memory,omitempty"`
	// +optional
	Since *metav1.Time `json:"since,omitempty"`
	// +optional
	Template *corev1.PodTemplateSpec `json:"template,omitempty"`
}
