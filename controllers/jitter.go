package controllers

import (
	"fmt"
	"hash/fnv"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// jittered is the interval, up to 10 % longer or shorter. The shift comes from
// the gate and the time, not from a random source, so that a test with a fake
// clock sees the same passes each time.
func jittered(uid types.UID, now time.Time, interval time.Duration) time.Duration {
	hash := fnv.New32a()
	fmt.Fprintf(hash, "%s %d", uid, now.Unix())
	shift := int64(hash.Sum32()%2001) - 1000 // -1000..1000 ten-thousandths
	return interval + time.Duration(shift)*interval/10_000
}
