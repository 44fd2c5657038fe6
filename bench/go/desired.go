package main

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const (
	nameLabel     = "app.kubernetes.io/name"
	instanceLabel = "app.kubernetes.io/instance"
	managerLabel  = "app.kubernetes.io/managed-by"
	serverName    = "cache"
	operatorName  = "bench-operator"
	port          = 11211
)

func labelsOf(cache *Cache) map[string]string {
	return map[string]string{nameLabel: serverName, instanceLabel: cache.Name, managerLabel: operatorName}
}

// desiredSpec names what the API server would fill in, so that it can be compared with what the server has.
func desiredSpec(cache *Cache) appsv1.DeploymentSpec {
	return appsv1.DeploymentSpec{
		Replicas:                to(cache.Spec.Size),
		RevisionHistoryLimit:    to(int32(10)),
		ProgressDeadlineSeconds: to(int32(600)),
		Selector:                &metav1.LabelSelector{MatchLabels: labelsOf(cache)},
		Strategy: appsv1.DeploymentStrategy{
			Type: appsv1.RollingUpdateDeploymentStrategyType,
			RollingUpdate: &appsv1.RollingUpdateDeployment{
				MaxSurge:       to(intstr.FromInt32(0)),
				MaxUnavailable: to(intstr.FromInt32(1)),
			},
		},
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labelsOf(cache)},
			Spec: corev1.PodSpec{
				AutomountServiceAccountToken:  to(false),
				RestartPolicy:                 corev1.RestartPolicyAlways,
				DNSPolicy:                     corev1.DNSClusterFirst,
				SchedulerName:                 corev1.DefaultSchedulerName,
				TerminationGracePeriodSeconds: to(int64(30)),
				SecurityContext: &corev1.PodSecurityContext{
					RunAsNonRoot:   to(true),
					SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
				},
				Containers: []corev1.Container{container()},
			},
		},
	}
}

func container() corev1.Container {
	return corev1.Container{
		Name:            serverName,
		Image:           "memcached:1.6.26-alpine3.19",
		ImagePullPolicy: corev1.PullIfNotPresent,
		Command:         []string{"memcached", "--memory-limit=64", "-o", "modern", "-v"},
		Ports:           []corev1.ContainerPort{{Name: serverName, ContainerPort: port, Protocol: corev1.ProtocolTCP}},
		Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
			corev1.ResourceCPU:    resource.MustParse("1m"),
			corev1.ResourceMemory: resource.MustParse("1Mi"),
		}},
		ReadinessProbe:           probe(0, 5),
		LivenessProbe:            probe(30, 10),
		TerminationMessagePath:   corev1.TerminationMessagePathDefault,
		TerminationMessagePolicy: corev1.TerminationMessageReadFile,
		SecurityContext: &corev1.SecurityContext{
			RunAsNonRoot:             to(true),
			RunAsUser:                to(int64(1001)),
			AllowPrivilegeEscalation: to(false),
			Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		},
	}
}

func probe(delaySeconds, periodSeconds int32) *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler:        corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(port)}},
		InitialDelaySeconds: delaySeconds,
		TimeoutSeconds:      1,
		PeriodSeconds:       periodSeconds,
		SuccessThreshold:    1,
		FailureThreshold:    3,
	}
}

func to[T any](value T) *T { return &value }
