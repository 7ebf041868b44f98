package codec

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/internal/fit"
)

// Budgets for the lists of one failure, in encoded bytes. Lists are truncated at the
// end. Including its texts a failure stays below 2 MiB.
const (
	maxAlso = 256 << 10
	// maxStack has room for hundreds of frames, of which the first are worth reading.
	maxStack = 128 << 10
	// maxDerived has room for the names of a few thousand tests.
	maxDerived = 128 << 10
	// maxBlocks has room for the names of a few thousand suites: a build failure in a
	// package that everything imports blocks an entire large project.
	maxBlocks = 512 << 10
	// maxRepro is more than an operating system accepts as arguments.
	maxRepro      = 256 << 10
	maxAttributes = 64 << 10
	maxAttribute  = 16 << 10
)

// boundFailure bounds f for sending, in place. It returns the names of the list fields
// from which entries were dropped.
func boundFailure(f *pb.Failure) (shortened []string) {
	f.Kind = fit.Name(f.GetKind())
	f.Message = fit.Text(f.GetMessage(), sdk.MaxText)
	if d := f.GetDiff(); d != nil {
		d.Got, d.Want, d.Text = fit.Text(d.GetGot(), sdk.MaxText), fit.Text(d.GetWant(), sdk.MaxText), fit.Text(d.GetText(), sdk.MaxText)
	}
	var cut bool
	if f.Output, cut = fit.Cut(f.GetOutput(), sdk.MaxOutput); cut {
		f.OutputTruncated = true
	}
	for _, also := range f.GetAlso() {
		also.Message = fit.Text(also.GetMessage(), sdk.MaxText)
	}
	f.Also, shortened = fitBudget(f.GetAlso(), maxAlso, messageSize[*pb.Also], "also", shortened)
	f.Stack, shortened = fitBudget(f.GetStack(), maxStack, messageSize[*pb.Frame], "stack", shortened)
	f.DerivedFrom, shortened = fitBudget(f.GetDerivedFrom(), maxDerived, messageSize[*pb.TestId], "derived_from", shortened)
	f.Blocks, shortened = fitBudget(fit.Names(f.GetBlocks()), maxBlocks, stringSize, "blocks", shortened)
	if f.GetRepro() != nil && proto.Size(f.GetRepro()) > maxRepro {
		f.Repro = nil // half a command is another command
		shortened = append(shortened, "repro")
	}
	attributes, whole := boundAttributes(f.GetAttributes())
	f.Attributes = attributes
	if !whole {
		shortened = append(shortened, "attributes")
	}
	if len(shortened) > 0 {
		if f.Attributes == nil {
			f.Attributes = map[string]string{}
		}
		f.Attributes[sdk.TruncatedAttribute] += fmt.Sprint(shortened)
	}
	return shortened
}

// fitBudget returns as many of the first items as fit into budget.
func fitBudget[T any](items []T, budget int, size func(T) int, field string, shortened []string) ([]T, []string) {
	for i, item := range items {
		if budget -= size(item) + itemOverhead; budget < 0 {
			return items[:i], append(shortened, field)
		}
	}
	return items, shortened
}

// itemOverhead is what a list entry costs besides its content: a tag and a length of up
// to 4 bytes each.
const itemOverhead = 8

func messageSize[M proto.Message](m M) int { return proto.Size(m) }

func stringSize(s string) int { return len(s) }

// fitAttributes bounds attributes for sending. [sdk.TruncatedAttribute] says if some were
// dropped.
func fitAttributes(attributes map[string]string) map[string]string {
	bounded, whole := boundAttributes(attributes)
	if !whole {
		bounded[sdk.TruncatedAttribute] += "[attributes]"
	}
	return bounded
}

// boundAttributes also reports whether all of them fit. What says that something is missing
// comes first.
func boundAttributes(attributes map[string]string) (_ map[string]string, whole bool) {
	if len(attributes) == 0 {
		return attributes, true
	}
	bounded := make(map[string]string, len(attributes))
	budget := maxAttributes
	keys := slices.Sorted(maps.Keys(attributes))
	if at, found := slices.BinarySearch(keys, sdk.TruncatedAttribute); found {
		keys = append([]string{sdk.TruncatedAttribute}, slices.Delete(keys, at, at+1)...)
	}
	for _, key := range keys {
		name, value := fit.Name(key), fit.Text(attributes[key], maxAttribute)
		if budget -= len(name) + len(value) + itemOverhead; budget < 0 {
			return bounded, false
		}
		bounded[name] = value
	}
	return bounded, true
}
