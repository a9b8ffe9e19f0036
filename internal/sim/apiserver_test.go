package sim

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
)

// namespace is that of everything in the simulation.
const namespace = "shop"

// objectKey names an object. Its kind is the lower-case one of kindOf.
type objectKey struct{ kind, name string }

// apiServer is an API server in memory: one namespace, merge patches, optimistic
// locks. controller-runtime's fake client does the same and more, but takes ten
// times as long, and keeps no history that a cache could lag behind.
type apiServer struct {
	objects  map[objectKey]client.Object // never changed in place: a write puts another object there
	changes  []change
	revision int
}

// change is one write, as a watch tells it. A deleted object is nil.
type change struct {
	key    objectKey
	object client.Object
}

func newAPIServer() *apiServer { return &apiServer{objects: map[objectKey]client.Object{}} }

// kindOf names the kind of an object, of a list, or of metadata read alone.
func kindOf(object any) string {
	switch o := object.(type) {
	case *v1alpha1.RelevanceGate, *v1alpha1.RelevanceGateList:
		return "gate"
	case *batchv1.Job, *batchv1.JobList:
		return "job"
	case *corev1.Pod, *corev1.PodList:
		return "pod"
	case *corev1.ConfigMap:
		return "configmap"
	case *corev1.Secret:
		return "secret"
	case *corev1.EventList:
		return "event"
	case *metav1.PartialObjectMetadata:
		return strings.ToLower(o.Kind)
	}
	panic(fmt.Sprintf("the simulated API server does not know %T", object))
}

func keyOf(object client.Object) objectKey { return objectKey{kindOf(object), object.GetName()} }

func resource(key objectKey) schema.GroupResource {
	return schema.GroupResource{Resource: key.kind + "s"}
}

// get reads an object into into, or says that it is not there.
func get(objects map[objectKey]client.Object, key objectKey, into client.Object) error {
	found := objects[key]
	if found == nil {
		return apierrors.NewNotFound(resource(key), key.name)
	}
	if meta, ok := into.(*metav1.PartialObjectMetadata); ok {
		kept := meta.TypeMeta
		raw, err := json.Marshal(found)
		if err != nil {
			return err
		}
		*meta = metav1.PartialObjectMetadata{}
		if err := json.Unmarshal(raw, meta); err != nil {
			return err
		}
		meta.TypeMeta = kept
		return nil
	}
	reflect.ValueOf(into).Elem().Set(reflect.ValueOf(found.DeepCopyObject()).Elem())
	return nil
}

// list reads all objects of the list's kind, sorted by name.
func list(objects map[objectKey]client.Object, into client.ObjectList, options []client.ListOption) error {
	wanted := client.ListOptions{}
	for _, option := range options {
		option.ApplyToList(&wanted)
	}
	kind := kindOf(into)
	var found []client.Object
	for key, object := range objects {
		if key.kind == kind && (wanted.LabelSelector == nil || wanted.LabelSelector.Matches(labelsOf(object))) {
			found = append(found, object)
		}
	}
	slices.SortFunc(found, func(a, b client.Object) int { return strings.Compare(a.GetName(), b.GetName()) })
	items := reflect.ValueOf(into).Elem().FieldByName("Items")
	items.Set(reflect.MakeSlice(items.Type(), 0, len(found)))
	for _, object := range found {
		items.Set(reflect.Append(items, reflect.ValueOf(object.DeepCopyObject()).Elem()))
	}
	return nil
}

type labelSet map[string]string

func labelsOf(object client.Object) labelSet { return object.GetLabels() }

func (l labelSet) Has(label string) bool              { _, ok := l[label]; return ok }
func (l labelSet) Get(label string) string            { return l[label] }
func (l labelSet) Lookup(label string) (string, bool) { value, ok := l[label]; return value, ok }

// put stores an object under a new revision.
func (s *apiServer) put(object client.Object) {
	s.revision++
	object.SetResourceVersion(fmt.Sprint(s.revision))
	key := keyOf(object)
	s.objects[key] = object
	s.changes = append(s.changes, change{key, object})
}

// create stores a copy of object and fills in what the server gives it.
func (s *apiServer) create(object client.Object) error {
	key := keyOf(object)
	if s.objects[key] != nil {
		return apierrors.NewAlreadyExists(resource(key), key.name)
	}
	object.SetNamespace(namespace)
	object.SetUID(types.UID(fmt.Sprintf("%s-%d", key.name, s.revision)))
	object.SetGeneration(1)
	object.SetCreationTimestamp(metav1.NewTime(time.Now().Truncate(time.Second)))
	stored, ok := object.DeepCopyObject().(client.Object)
	if !ok {
		panic("a copy is no object")
	}
	s.put(stored)
	object.SetResourceVersion(stored.GetResourceVersion())
	return nil
}

// delete removes an object at once. What it owns goes with collectGarbage.
func (s *apiServer) delete(key objectKey, options ...client.DeleteOption) error {
	wanted := client.DeleteOptions{}
	for _, option := range options {
		option.ApplyToDelete(&wanted)
	}
	found := s.objects[key]
	if found == nil {
		return apierrors.NewNotFound(resource(key), key.name)
	}
	if p := wanted.Preconditions; p != nil && p.UID != nil && *p.UID != found.GetUID() {
		return apierrors.NewConflict(resource(key), key.name, fmt.Errorf("the UID is another one"))
	}
	delete(s.objects, key)
	s.revision++
	s.changes = append(s.changes, change{key, nil})
	return nil
}

// patch applies a merge patch. With status only the status is taken from it, and
// otherwise everything else is.
func (s *apiServer) patch(object client.Object, patch client.Patch, status bool) (old, changed client.Object, err error) {
	key := keyOf(object)
	old = s.objects[key]
	if old == nil {
		return nil, nil, apierrors.NewNotFound(resource(key), key.name)
	}
	data, err := patch.Data(object)
	if err != nil {
		return nil, nil, err
	}
	var changes map[string]any
	if err := json.Unmarshal(data, &changes); err != nil {
		return nil, nil, err
	}
	if meta, ok := changes["metadata"].(map[string]any); ok {
		if version, ok := meta["resourceVersion"].(string); ok && version != old.GetResourceVersion() {
			return nil, nil, apierrors.NewConflict(resource(key), key.name, fmt.Errorf("the object has been modified"))
		}
		delete(meta, "resourceVersion")
	}
	if status {
		changes = map[string]any{"status": changes["status"]}
	} else {
		delete(changes, "status")
	}
	raw, err := json.Marshal(old)
	if err != nil {
		return nil, nil, err
	}
	var content map[string]any
	if err := json.Unmarshal(raw, &content); err != nil {
		return nil, nil, err
	}
	merge(content, changes)
	if raw, err = json.Marshal(content); err != nil {
		return nil, nil, err
	}
	changed, _ = reflect.New(reflect.TypeOf(old).Elem()).Interface().(client.Object)
	if err := json.Unmarshal(raw, changed); err != nil {
		return nil, nil, err
	}
	if !equality.Semantic.DeepEqual(old, changed) {
		if gate, ok := changed.(*v1alpha1.RelevanceGate); ok && !equality.Semantic.DeepEqual(gateOf(old).Spec, gate.Spec) {
			gate.Generation++
		}
		s.put(changed)
	} else {
		changed = old
	}
	return old, changed, get(s.objects, key, object)
}

// merge is RFC 7386.
func merge(into, changes map[string]any) {
	for name, value := range changes {
		object, isObject := value.(map[string]any)
		switch {
		case value == nil:
			delete(into, name)
		case isObject:
			inner, ok := into[name].(map[string]any)
			if !ok {
				inner = map[string]any{}
			}
			merge(inner, object)
			into[name] = inner
		default:
			into[name] = value
		}
	}
}

// collectGarbage deletes what belongs to nobody any more.
func (s *apiServer) collectGarbage() {
	uids := map[types.UID]bool{}
	for _, object := range s.objects {
		uids[object.GetUID()] = true
	}
	for _, key := range s.keys() {
		owner := metav1.GetControllerOf(s.objects[key])
		if owner != nil && !uids[owner.UID] {
			_ = s.delete(key)
		}
	}
}

// keys are all objects in a fixed order.
func (s *apiServer) keys() []objectKey {
	return slices.SortedFunc(maps.Keys(s.objects), func(a, b objectKey) int {
		return strings.Compare(a.kind+a.name, b.kind+b.name)
	})
}

// gate is the gate of that name as it is stored, or nil. It must not be changed.
func (s *apiServer) gate(name string) *v1alpha1.RelevanceGate {
	gate, _ := s.objects[objectKey{"gate", name}].(*v1alpha1.RelevanceGate)
	return gate
}

// edit changes an object as a user does. It tells whether the object was there.
func (s *apiServer) edit(object client.Object, change func()) bool {
	if get(s.objects, keyOf(object), object) != nil {
		return false
	}
	base, _ := object.DeepCopyObject().(client.Object)
	change()
	_, _, err := s.patch(object, client.MergeFrom(base), false)
	return err == nil
}

// editStatus is edit for the status.
func (s *apiServer) editStatus(object client.Object, change func()) bool {
	if get(s.objects, keyOf(object), object) != nil {
		return false
	}
	base, _ := object.DeepCopyObject().(client.Object)
	change()
	_, _, err := s.patch(object, client.MergeFrom(base), true)
	return err == nil
}

// cachedKinds are what a manager watches. Each has an informer of its own, which
// lags behind as it likes.
var cachedKinds = []string{"gate", "job", "pod", "configmap"}

// cache is what one manager has seen of the API server.
type cache struct {
	server  *apiServer
	seen    map[string]int // by kind: how many of the server's changes
	objects map[objectKey]client.Object
}

func newCache(server *apiServer) *cache {
	c := &cache{server: server, seen: map[string]int{}, objects: map[objectKey]client.Object{}}
	for key, object := range server.objects {
		c.objects[key] = object
	}
	for _, kind := range cachedKinds {
		c.seen[kind] = len(server.changes)
	}
	return c
}

// sync brings one kind up to date.
func (c *cache) sync(kind string) {
	for _, change := range c.server.changes[c.seen[kind]:] {
		switch {
		case change.key.kind != kind:
		case change.object == nil:
			delete(c.objects, change.key)
		default:
			c.objects[change.key] = change.object
		}
	}
	c.seen[kind] = len(c.server.changes)
}

func (c *cache) syncAll() {
	for _, kind := range cachedKinds {
		c.sync(kind)
	}
}

// apiClient is a manager's client: it reads from the cache and writes to the server.
type apiClient struct {
	client.Client // what is not below is not called, and would panic
	m             *manager
}

func (c apiClient) Get(_ context.Context, key client.ObjectKey, object client.Object, _ ...client.GetOption) error {
	return c.m.readCache(objectKey{kindOf(object), key.Name}, object)
}

func (c apiClient) List(_ context.Context, into client.ObjectList, options ...client.ListOption) error {
	return list(c.m.cache.objects, into, options)
}

func (c apiClient) Create(ctx context.Context, object client.Object, _ ...client.CreateOption) error {
	return c.m.callAPI(ctx, "create", keyOf(object), func() error {
		err := c.m.w.api.create(object)
		if err == nil {
			c.m.w.checkCreated(c.m.pass, object)
		}
		return err
	})
}

func (c apiClient) Delete(ctx context.Context, object client.Object, options ...client.DeleteOption) error {
	return c.m.callAPI(ctx, "delete", keyOf(object), func() error { return c.m.w.api.delete(keyOf(object), options...) })
}

func (c apiClient) Patch(ctx context.Context, object client.Object, patch client.Patch, _ ...client.PatchOption) error {
	return c.m.callAPI(ctx, "patch", keyOf(object), func() error {
		_, _, err := c.m.w.api.patch(object, patch, false)
		return err
	})
}

func (c apiClient) Status() client.SubResourceWriter { return statusWriter{m: c.m} }

// gateOf is an object that is known to be a gate.
func gateOf(object client.Object) *v1alpha1.RelevanceGate {
	gate, ok := object.(*v1alpha1.RelevanceGate)
	if !ok {
		panic(fmt.Sprintf("%T is no gate", object))
	}
	return gate
}

type statusWriter struct {
	client.SubResourceWriter
	m *manager
}

func (s statusWriter) Patch(ctx context.Context, object client.Object, patch client.Patch, _ ...client.SubResourcePatchOption) error {
	err := s.m.callAPI(ctx, "patch status of", keyOf(object), func() error {
		old, changed, err := s.m.w.api.patch(object, patch, true)
		if err == nil {
			s.m.w.checkStatus(s.m.pass, gateOf(old), gateOf(changed))
		}
		return err
	})
	if err == nil {
		s.m.pass.known, _ = object.DeepCopyObject().(*v1alpha1.RelevanceGate)
	}
	return err
}

// liveReader reads from the server itself.
type liveReader struct{ m *manager }

func (r liveReader) Get(ctx context.Context, key client.ObjectKey, object client.Object, _ ...client.GetOption) error {
	of := objectKey{kindOf(object), key.Name}
	err := r.m.callAPI(ctx, "read", of, func() error { return get(r.m.w.api.objects, of, object) })
	if err == nil {
		r.m.pass.sawLive(of, object)
	}
	return err
}

func (r liveReader) List(ctx context.Context, into client.ObjectList, options ...client.ListOption) error {
	return r.m.callAPI(ctx, "list", objectKey{kindOf(into), ""}, func() error { return list(r.m.w.api.objects, into, options) })
}
