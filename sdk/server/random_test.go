package server_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"time"

	"github.com/proctorhq/proctor/sdk"
)

// random generates values of the sdk's types, within the limits. It fills them by
// reflection, so that a new field that is not sent is noticed.
type random struct {
	*rand.Rand
	// unit is the shortest time that the protocol can represent there.
	unit time.Duration
}

// largest is the largest value of each enumeration; the smallest is 1.
var largest = map[reflect.Type]int{
	reflect.TypeFor[sdk.SuiteOutcome]():        int(sdk.SuiteUnfinished),
	reflect.TypeFor[sdk.CoverageGranularity](): int(sdk.CoverageNone),
	reflect.TypeFor[sdk.UnitKind]():            int(sdk.UnitTest),
	reflect.TypeFor[sdk.Selector]():            int(sdk.SelectTestPattern),
	reflect.TypeFor[sdk.FlagEffect]():          int(sdk.FlagUpdates),
}

// randomValue generates a value of type T.
func randomValue[T any](g random) T {
	var v T
	g.fill(reflect.ValueOf(&v).Elem())
	return v
}

func (g random) fill(v reflect.Value) {
	switch p := v.Addr().Interface().(type) {
	case *time.Duration:
		*p = time.Duration(g.Int64N(math.MaxInt64/int64(g.unit))) * g.unit
		return
	case *sdk.BlockSet:
		for range g.IntN(5) {
			*p = p.Add(g.IntN(50))
		}
		return
	case *sdk.Status:
		*p = [...]sdk.Status{sdk.Passed, sdk.Failed, sdk.Skipped, sdk.Unfinished}[g.IntN(4)]
		return
	case *sdk.Precision:
		*p = [...]sdk.Precision{"", sdk.PrecisionDeclaration, sdk.PrecisionExact, sdk.PrecisionDeclarationOnly}[g.IntN(4)]
		return
	}
	if n, ok := largest[v.Type()]; ok {
		v.SetInt(1 + g.Int64N(int64(n)))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			g.fill(v.Field(i))
		}
	case reflect.Pointer:
		if g.IntN(4) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			g.fill(v.Elem())
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), g.IntN(4), 4))
		for i := range v.Len() {
			g.fill(v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 2 {
			key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			g.fill(key)
			g.fill(elem)
			v.SetMapIndex(key, elem)
		}
	case reflect.String:
		v.SetString(g.text())
	case reflect.Bool:
		v.SetBool(g.IntN(2) == 0)
	case reflect.Int, reflect.Int64:
		v.SetInt(g.Int64N(math.MaxInt32))
	case reflect.Uint8:
		v.SetUint(g.Uint64N(math.MaxUint8 + 1))
	default:
		panic(fmt.Sprintf("no values of %s are made", v.Type()))
	}
	g.correct(v)
}

// correct makes a value valid where its type requires more than its fields show.
func (g random) correct(v reflect.Value) {
	switch p := v.Addr().Interface().(type) {
	case *sdk.Command:
		p.Argv = append(p.Argv, "x") // a command needs a program
	case *sdk.Progress:
		p.RunningTotal = len(p.Running) + g.IntN(100)
	case *sdk.SuiteCoverage:
		for i := range p.Files {
			p.Files[i].File += fmt.Sprint(i) // each file once
		}
	}
}

func (g random) text() string {
	letters := []rune("aB/._ \n\t\x00é日\u2028")
	var b strings.Builder
	for range g.IntN(12) {
		b.WriteRune(letters[g.IntN(len(letters))])
	}
	return b.String()
}

// randomValues generates a few values of type T.
func randomValues[T any](g random) []T { return randomValue[[]T](g) }
