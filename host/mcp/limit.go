package mcp

import (
	"reflect"

	"github.com/proctorhq/proctor/host/prose"
)

// limits has how a field is limited that is not by its kind: else a string is the name of
// one of many things, and what is no string stays as it is.
var limits = map[string]func(reflect.Value){
	"Absence.AgeS": roundSeconds, "Absence.Message": limitText(cutDetailBytes), "Affected.Everything": limitLine(cutDetailBytes), "Coverage.NotIndexed": limitLine(cutDetailBytes),
	"DiffedRun.AgeS": roundSeconds, "DiffedTest.Kind": limitLine(cutWordBytes), "DiffedTest.Message": limitText(cutListedBytes), "Entry.File": limitLine(cutNameBytes),
	"FileChanges.Why": limitLine(cutDetailBytes), "GrownMeasure.Kind": limitLine(cutWordBytes), "GrownMeasure.Name": limitLine(cutWordBytes),
	"ListedSuite.Suite": limitLine(cutNameBytes), "ListedTest.File": limitLine(cutNameBytes), "ListedTest.Test": limitLine(cutNameBytes),
	"Otherwise.RunnerArgs": keepValue, "RunDiff.Message": limitText(cutMessageBytes),
	"Sighting.AgeS": roundSeconds, "Sighting.Commit": limitState, "Sighting.Fingerprint": limitState, "Sighting.Kind": limitLine(cutWordBytes), "Sighting.Message": limitText(cutDetailBytes),
	"Source.Commit": limitState, "Source.Fingerprint": limitState, "Source.Worktree": reflect.Value.SetZero,
	"TimelinePoint.AgeS": roundSeconds, "TimelinePoint.Commit": limitState, "TimelinePoint.DurationS": roundSeconds, "TimelinePoint.Environment": reflect.Value.SetZero,
	"TimelinePoint.Excerpt": limitText(cutListedBytes), "Why.FailedStates": limitState, "TimelinePoint.FailureKind": limitLine(cutWordBytes), "TimelinePoint.Fingerprint": limitState, "TimelinePoint.Signature": limitState,
}

func limitLine(most int) func(reflect.Value) {
	return func(v reflect.Value) { v.SetString(cutText(v.String(), most, prose.Line)) }
}

func limitText(most int) func(reflect.Value) {
	return func(v reflect.Value) { v.SetString(cutText(v.String(), most, prose.Plain)) }
}

// keepValue is for what plainStanding limits.
func keepValue(reflect.Value) {}

func limitState(v reflect.Value) { v.SetString(cutState(v.String())) }

func roundSeconds(v reflect.Value) { v.SetFloat(cutSeconds(v.Float())) }

// limit returns a part of an answer with every text bounded and without what deceives a
// reader. A field that is new arrives with the others.
func limit[T any](v T) T {
	limitValue(reflect.ValueOf(&v).Elem(), limitLine(cutListedBytes))
	return v
}

// limitValue limits what v holds, in a copy of what it refers to.
func limitValue(v reflect.Value, shorten func(reflect.Value)) {
	switch v.Kind() {
	case reflect.String:
		shorten(v)
	case reflect.Pointer:
		if !v.IsNil() {
			to := reflect.New(v.Type().Elem())
			to.Elem().Set(v.Elem())
			limitValue(to.Elem(), shorten)
			v.Set(to)
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		list := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(list, v)
		for i := range list.Len() {
			limitValue(list.Index(i), shorten)
		}
		v.Set(list)
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			own, ok := limits[v.Type().Name()+"."+f.Name]
			switch {
			case !f.IsExported(): // such as those of a time
			case ok && v.Field(i).Kind() == reflect.Slice:
				limitValue(v.Field(i), own)
			case ok:
				own(v.Field(i))
			default:
				limitValue(v.Field(i), limitLine(cutListedBytes))
			}
		}
	}
}
