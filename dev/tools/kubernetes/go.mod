// Kubernetes' own description of its objects is in this module; nothing of it is built.
module kubernetes

go 1.26

require k8s.io/kubernetes v1.37.2
