package controllers

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

// memory keeps what the manager knows of each gate between two passes and may
// lose at a restart: nothing in it decides a verdict, it only saves work or
// restarts a waiting time.
type memory struct {
	mu    sync.Mutex
	gates map[types.NamespacedName]*remembered

	// starting is held while a Job is counted and created: two passes that counted
	// at the same time would both take the last place.
	starting sync.Mutex
	// started are Jobs that the cache may not show yet.
	started map[types.NamespacedName]startedJob

	// parsing is held while a golden set is parsed: many large ones at a time
	// would need more memory than the manager has.
	parsing sync.Mutex
	// reporting is held while a report is copied.
	reporting sync.Mutex
}

// remembered is used by one reconcile of its gate at a time; only memory's map
// needs the lock.
type remembered struct {
	uid types.UID
	// settling is the fingerprint that was last seen, and since when it holds.
	settling      string
	settlingSince time.Time
	// golden is the golden set as it was last parsed.
	golden goldenFacts
	// refusal is the promotion that was last refused.
	refusal refusal
	// report is the report of the last evaluation.
	report reportMemory
	// secrets are the versions of the gate's Secrets when an attempt began; empty
	// = not known.
	secrets string
	// engineFailures counts the passes in a row that could not reach the engine.
	engineFailures int
	// clusterUUID is that of the engine the gate was last seen on. Other gates'
	// passes read it: see memory.cluster.
	clusterUUID string
	// last is the gate as it was last seen: what is left to give back a lock
	// by once the gate is deleted.
	last *v1alpha1.RelevanceGate
}

func newMemory() *memory {
	return &memory{gates: map[types.NamespacedName]*remembered{}, started: map[types.NamespacedName]startedJob{}}
}

// of returns what is remembered of the gate; a gate made anew under the same
// name starts with nothing.
func (m *memory) of(gate *v1alpha1.RelevanceGate) *remembered {
	m.mu.Lock()
	defer m.mu.Unlock()
	name := types.NamespacedName{Namespace: gate.Namespace, Name: gate.Name}
	found, ok := m.gates[name]
	if !ok || found.uid != gate.UID {
		found = &remembered{uid: gate.UID}
		m.gates[name] = found
	}
	return found
}

// get returns what is remembered of the gate of that name, or nil.
func (m *memory) get(name types.NamespacedName) *remembered {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.gates[name]
}

// forget drops the gate.
func (m *memory) forget(name types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.gates, name)
}

// cluster is the UUID of the cluster that the gate was last seen on, or empty.
func (m *memory) cluster(name types.NamespacedName) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if found := m.gates[name]; found != nil {
		return found.clusterUUID
	}
	return ""
}

// setCluster records the cluster that the gate was seen on.
func (m *memory) setCluster(of *remembered, uuid string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	of.clusterUUID = uuid
}
