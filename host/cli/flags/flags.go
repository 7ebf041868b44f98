package flags

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
)

// Bind declares the flags of parameters: all that have one, or only the named ones.
func Bind(cmd *cobra.Command, params []api.Param, only ...string) {
	for _, p := range params {
		if p.Flag == "" || len(only) > 0 && !slices.Contains(only, p.Flag) {
			continue
		}
		if p.Bare != "" {
			cmd.Flags().Var(&Revision{}, p.Flag, p.FlagHelp())
			cmd.Flags().Lookup(p.Flag).NoOptDefVal = bareRevision
			continue
		}
		bindParam(cmd, p)
	}
}

func bindParam(cmd *cobra.Command, p api.Param) {
	v := reflect.ValueOf(p.Value).Elem()
	if p.Default != nil {
		v.Set(reflect.ValueOf(p.Default).Convert(v.Type()))
	}
	value := &paramValue{param: p, v: v}
	f := cmd.Flags().VarPF(value, p.Flag, p.Short, p.FlagHelp())
	if value.Type() == "bool" {
		f.NoOptDefVal = "true"
	}
	if optional, ok := p.Value.(**bool); ok {
		no := cmd.Flags().VarPF(&negation{of: p.Flag, value: optional}, "no-"+p.Flag, "", "turn --"+p.Flag+" off, whatever .proctor.toml says")
		no.NoOptDefVal = "true"
	}
	if len(p.Words) > 0 {
		_ = cmd.RegisterFlagCompletionFunc(p.Flag, cobra.FixedCompletions(p.Words, cobra.ShellCompDirectiveNoFileComp))
	}
}

// paramValue is the value of a flag: it stores the argument in the request.
type paramValue struct {
	param api.Param
	v     reflect.Value // the field
	// asked is the argument if it exceeds the maximum.
	asked string
}

// Type names the argument if the help has no word for it.
func (f *paramValue) Type() string {
	switch f.param.Value.(type) {
	case *bool, **bool:
		return "bool"
	case *time.Duration:
		return "DURATION"
	case *float64:
		return "PERCENT"
	}
	return "VALUE"
}

// String returns the default for the help; empty if there is none.
func (f *paramValue) String() string {
	if f.v.Kind() == reflect.Invalid || f.v.IsZero() && f.Type() != "PERCENT" {
		return ""
	}
	switch value := f.param.Value.(type) {
	case *time.Duration:
		return prose.Duration(*value)
	case *float64:
		return strconv.FormatFloat(*value, 'f', -1, 64) + "%"
	case *int, *string:
		return fmt.Sprint(f.v.Interface())
	}
	return ""
}

func (f *paramValue) Set(text string) error {
	switch value := f.param.Value.(type) {
	case *[]string:
		return f.add(value, text)
	case *bool:
		given, err := strconv.ParseBool(text)
		*value = given
		return err
	case **bool:
		given, err := strconv.ParseBool(text)
		return errors.Join(err, setOnce(value, given, "no-"+f.param.Flag))
	case *int:
		n, err := strconv.ParseInt(text, 0, 64)
		*value = int(min(max(n, math.MinInt32), math.MaxInt32))
		return errors.Join(err, f.bound(value, text))
	case **int:
		n, err := strconv.ParseInt(text, 0, strconv.IntSize)
		given := int(n)
		if f.param.Min > 0 || f.param.Max > 0 { // an exit code may be negative
			err = errors.Join(err, f.bound(&given, text))
		}
		*value = &given
		return err
	case *int64:
		n, err := parseSize(text)
		*value = n
		return errors.Join(err, f.atLeast(n))
	case *float64:
		n, err := parsePercent(text)
		*value = n
		return err
	case *time.Duration:
		return f.setTime(value, text)
	case **time.Time:
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return errors.New("give a time such as 2006-01-02T15:04:05Z")
		}
		*value = &at
		return nil
	}
	f.v.SetString(text)
	return nil
}

// add appends to a list. Names of languages have no commas, and may be separated by
// them.
func (f *paramValue) add(list *[]string, text string) error {
	if f.param.Single {
		*list = append(*list, strings.Split(text, ",")...)
		return nil
	}
	*list = append(*list, text)
	return nil
}

func (f *paramValue) setTime(value *time.Duration, text string) error {
	if unit := f.param.Unit; unit > 0 {
		n, err := strconv.Atoi(text)
		if err == nil {
			err = f.bound(&n, text)
		}
		*value = time.Duration(n) * unit
		return err
	}
	d, err := parseSeconds(text)
	if most := time.Duration(f.param.Max) * time.Second; most > 0 && d > most {
		d, f.asked = most, strconv.Itoa(int(d/time.Second))
	}
	*value = d
	return err
}

// bound keeps a number within the bounds of the parameter.
func (f *paramValue) bound(n *int, text string) error {
	if most := f.param.Max; most > 0 && *n > most {
		*n, f.asked = most, text
	}
	return f.atLeast(int64(*n))
}

func (f *paramValue) atLeast(n int64) error {
	if n < int64(f.param.Min) {
		return fmt.Errorf("give at least %d", f.param.Min)
	}
	return nil
}

// clampNote returns the note that the argument exceeds the maximum.
func (f *paramValue) clampNote() string {
	most := strconv.Itoa(f.param.Max)
	if f.Type() == "DURATION" && f.param.Unit == 0 {
		most += "s"
	}
	return fmt.Sprintf("--%s %s exceeds the maximum: %s is used", f.param.Flag, f.asked, most)
}

// DescribeClamped returns a note for each number that exceeds its maximum.
func DescribeClamped(cmd *cobra.Command) (notes []string) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if value, ok := f.Value.(*paramValue); ok && value.asked != "" {
			notes = append(notes, value.clampNote())
		}
	})
	return notes
}

// negation is the flag that negates another one.
type negation struct {
	of    string
	value **bool
}

func (r *negation) String() string { return "" }
func (r *negation) Type() string   { return "bool" }

func (r *negation) Set(text string) error {
	given, err := strconv.ParseBool(text)
	return errors.Join(err, setOnce(r.value, !given, r.of))
}

// setOnce sets a value shared by two flags, unless the other one contradicts.
func setOnce(value **bool, given bool, other string) error {
	if *value != nil && **value != given {
		return fmt.Errorf("this and --%s exclude each other", other)
	}
	*value = &given
	return nil
}

// Revision is a flag with an optional revision: HEAD by default. Its value follows "=",
// or is the next argument if that looks like one.
type Revision struct {
	value string
	// Given means that the flag was given.
	Given bool
	// bare means that it was given without a value.
	bare bool
}

// bareRevision is the flag's value without an argument: the one that pflag omits from a
// help, like the type.
const bareRevision = "true"

func (r *Revision) String() string { return r.value }
func (r *Revision) Type() string   { return "bool" }

func (r *Revision) Set(text string) error {
	if text == "" {
		return errors.New("the revision is empty: name one, such as HEAD or main, or leave it out")
	}
	*r = Revision{value: text, Given: true, bare: text == bareRevision}
	return nil
}

// Take returns the revision, "" if the flag was not given, and the arguments that are
// not its value.
func (r *Revision) Take(args []string) (rev string, rest []string, err error) {
	switch {
	case !r.bare:
		return r.value, args, nil
	case len(args) == 0:
		return "HEAD", nil, nil
	case args[0] == "":
		return "", nil, errors.New("the revision is empty: name one, such as HEAD or main, or leave it out")
	}
	return args[0], args[1:], nil
}

// RevisionOf returns the revision flag of a command.
func RevisionOf(cmd *cobra.Command, flag string) *Revision {
	return cmd.Flags().Lookup(flag).Value.(*Revision)
}

// maxSeconds is far above every clamp and far below what a [time.Duration] holds.
const maxSeconds = 1e6

// parseSeconds parses a number of seconds or a duration.
func parseSeconds(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if n, nerr := strconv.ParseFloat(text, 64); nerr == nil && !math.IsNaN(n) {
		// More than the clamp must not overflow on its way there.
		d, err = time.Duration(min(max(n, -1), maxSeconds)*float64(time.Second)), nil
	}
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q is neither a number of seconds nor a duration such as 90s or 5m", text)
	case d < 0:
		return 0, fmt.Errorf("%q is negative; give a number of seconds or a duration such as 90s or 5m", text)
	}
	return d, nil
}

// maxPercent is a thousandfold: beyond that a comparison is pointless.
const maxPercent = 100_000

// parsePercent parses "1%", "0.5%" or a bare percentage.
func parsePercent(text string) (float64, error) {
	n, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil || !(n >= 0 && n <= maxPercent) {
		return 0, errors.New("give a percentage, such as 1% or 0.5%")
	}
	return n, nil
}

// parseSize parses a number of bytes, with or without a unit.
func parseSize(text string) (int64, error) {
	digits := strings.TrimRight(text, "BGKMi")
	n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
	unit, known := map[string]int64{
		"": 1, "B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
	}[text[len(digits):]]
	if err != nil || !known || n < 0 || n > math.MaxInt64/unit {
		return 0, fmt.Errorf("%q is not a size: give a number of bytes, or one with KB, MB, GB, KiB, MiB or GiB", text)
	}
	return n * unit, nil
}
