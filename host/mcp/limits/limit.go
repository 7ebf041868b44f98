package limits

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render/concise"
)

// Limiter shortens the parts of an answer: it walks every field and applies its rule in
// rules.go. A field without a rule is kept, with each text on one line of at most listedBytes
// bytes, so a new field needs no rule.
type Limiter struct {
	// As is the first part of keys of rules that apply only to one use of a type.
	As string
	// Most bounds the lists that fill an answer; see [rule].
	Most int
	// Shortened means that something was shortened.
	Shortened bool
	// Left counts the entries left off lists that nothing else counts, by JSON name.
	Left map[string]int
}

// Of returns a part of an answer, shortened, in a copy of what it refers to.
func Of[T any](v T) T { return Filling(math.MaxInt, v) }

// Filling also bounds the lists that fill an answer.
func Filling[T any](most int, v T) T { return With(&Limiter{Most: most}, v) }

// With is [Of] by a Limiter, which says what it has done.
func With[T any](l *Limiter, v T) T {
	var way []Field
	if l.As != "" {
		way = append(way, Field{Of: l.As})
	}
	l.limitValue(reflect.ValueOf(&v).Elem(), way, rule{})
	return v
}

// Field is a field of a type. Without a name it is the type itself, or a use of types.
type Field struct{ Of, Name string }

// limitValue limits what v holds. way is the path of fields to it, and r the rule of the
// last one.
func (l *Limiter) limitValue(v reflect.Value, way []Field, r rule) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(l.limitText(v.String(), r))
	case reflect.Float64:
		if r.seconds {
			v.SetFloat(Seconds(v.Float()))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			to := reflect.New(v.Type().Elem())
			to.Elem().Set(v.Elem())
			l.limitValue(to.Elem(), way, r)
			v.Set(to)
		}
	case reflect.Slice:
		l.limitList(v, way, r)
	case reflect.Map:
		l.limitMap(v, way, r)
	case reflect.Struct:
		l.limitStruct(v, way)
	}
}

func (l *Limiter) limitStruct(v reflect.Value, way []Field) {
	if r, ok := ruleOf(append(way, Field{Of: v.Type().Name()})); ok {
		r.shape(v)
	}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() { // such as those of a time
			continue
		}
		at := append(slices.Clip(way), Field{v.Type().Name(), f.Name})
		r, _ := ruleOf(at)
		if r.shape != nil {
			r.shape(v.Field(i))
		}
		switch {
		case r.out != "":
			v.Field(i).SetZero()
		case !r.whole:
			l.limitValue(v.Field(i), at, r)
			if strings.Contains(f.Tag.Get("json"), ",omit") {
				continue
			}
			// A field without omitempty is never null.
			switch kind := f.Type.Kind(); {
			case kind == reflect.Slice && v.Field(i).IsNil():
				v.Field(i).Set(reflect.MakeSlice(f.Type, 0, 0))
			case kind == reflect.Map && v.Field(i).IsNil():
				v.Field(i).Set(reflect.MakeMap(f.Type))
			}
		}
	}
}

// limitList keeps the first entries of a list, which are those that matter most, and says
// how many there were unless a total does.
func (l *Limiter) limitList(v reflect.Value, way []Field, r rule) {
	if v.IsNil() {
		return
	}
	n := min(v.Len(), r.mostEntries(l.Most))
	left := v.Len() - n
	list := reflect.MakeSlice(v.Type(), n, n+1)
	reflect.Copy(list, v)
	for i := range n {
		l.limitValue(list.Index(i), way, r)
	}
	v.Set(list)
	if left == 0 {
		return
	}
	l.Shortened = true
	switch {
	case r.total != "":
	case r.ending != nil:
		v.Set(reflect.Append(v, reflect.ValueOf(r.ending(left))))
	case v.Type().Elem().Kind() == reflect.String:
		v.Set(reflect.Append(v, reflect.ValueOf(moreOf(left)).Convert(v.Type().Elem())))
	default:
		l.leaveOff(way, left)
	}
}

// limitMap keeps the first entries of a map by the order of its keys.
func (l *Limiter) limitMap(v reflect.Value, way []Field, r rule) {
	texts, ok := v.Interface().(map[string]string)
	if !ok || texts == nil {
		return
	}
	kept := map[string]string{}
	keys := slices.Sorted(maps.Keys(texts))
	n := min(len(keys), r.mostEntries(l.Most))
	for _, key := range keys[:n] {
		kept[l.limitText(key, rule{bytes: wordBytes})] = l.limitText(texts[key], r)
	}
	if left := len(keys) - n; left > 0 && r.fills {
		l.Shortened = true
		l.leaveOff(way, left)
	} else if left > 0 {
		l.Shortened = true
		kept["…"] = moreOf(left)[len("… "):]
	}
	v.Set(reflect.ValueOf(kept))
}

// leaveOff counts what was left off a list.
func (l *Limiter) leaveOff(way []Field, left int) {
	if l.Left == nil {
		l.Left = map[string]int{}
	}
	l.Left[strings.ToLower(way[len(way)-1].Name)] += left
}

func (l *Limiter) limitText(text string, r rule) string {
	limited, whole := shortenText(text, r)
	l.Shortened = l.Shortened || !whole
	return limited
}

// moreOf ends a list that omits this many entries.
func moreOf(left int) string { return fmt.Sprintf("… [%d more]", left) }

// Cut returns at most this many bytes of a text, made harmless by plain, and a mark
// with its full length if that is not all.
func Cut(text string, most int, plain func(string) string) string {
	cut, _ := shortenText(text, rule{bytes: most, plain: plain})
	return cut
}

// shortenText returns as much of a text as a rule allows, and reports whether that is all
// of it.
func shortenText(text string, r rule) (short string, whole bool) {
	most, plain := r.bytes, r.plain
	if most == 0 {
		most = listedBytes
	}
	if plain == nil {
		plain = prose.Line
	}
	// Cleaning fifty megabytes to show two thousand bytes takes a while.
	looked := prose.Head(text, 4*max(most, messageBytes))
	clean := plain(looked)
	short = clean
	if r.lines > 0 {
		short = concise.Shorten(clean, r.lines, "")
	}
	if short = prose.Head(short, most); short == clean && len(looked) == len(text) {
		return short, true
	}
	return short + fmt.Sprintf("… [cut: %d bytes in all]", len(text)), false
}

// Seconds rounds an age or a duration for a reader.
func Seconds(s float64) float64 { return math.Round(s*1000) / 1000 }

// foldFailure joins what a failure says more than once, and omits the attributes of the
// protocol, which say nothing to a reader.
func foldFailure(f *api.Failure) {
	f.Also, f.Stack = concise.Also(*f), concise.Callers(*f)
	f.Attributes = maps.Clone(f.Attributes)
	maps.DeleteFunc(f.Attributes, func(key, _ string) bool { return strings.HasPrefix(key, "proctor.") })
}

// tellFailure also omits what a failure says in its message and its comparison.
func tellFailure(f *api.Failure) {
	foldFailure(f)
	*f = concise.Failure(*f)
}

// phraseNote adds the advice of a note to its text, in terms of the tools.
func phraseNote(bytes int) func(*api.Note) {
	return func(n *api.Note) {
		n.Text, n.Advice = api.AppendAdvice(Cut(n.Text, bytes, prose.Plain), n.Advice, Advice), api.Advice{}
	}
}

// dropPlainStanding omits what the record knows of a test unless it is more than this
// session's failures: a test of a first session has nothing else.
func dropPlainStanding(standing **api.Standing) {
	s := *standing
	if s == nil || s.Classification != api.Gap || s.LastPassed != nil || s.Flaky != nil || s.Otherwise != nil || s.Formerly != nil {
		return
	}
	if *standing = nil; s.FailedRuns >= 2 {
		*standing = &api.Standing{
			FailedSessions: s.FailedSessions, FailedRuns: s.FailedRuns, FailedRunsAtLeast: s.FailedRunsAtLeast,
			SameFailure: s.SameFailure, SimilarFailure: s.SimilarFailure,
		}
	}
}
