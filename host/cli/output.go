package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// output is how a run is shown.
type output struct {
	json   bool
	raw    bool
	format string
}

// formats are the values of --format.
var formats = []string{"text", "tests", "failures", "raw", "json"}

func (o *output) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.json, "json", false, "print the Run object, one a line for each language")
	cmd.Flags().BoolVar(&o.raw, "raw", false, "print the runner's own output and exit code")
	cmd.Flags().StringVar(&o.format, "format", "text", "`FORM`: "+strings.Join(formats, ", ")+": a summary, each test as it ends, the failure listing, the runner's output, the Run object")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
}

// check settles which of the flags counts.
func (o *output) check() error {
	if !slices.Contains(formats, o.format) {
		return &flagError{fmt.Errorf("--format %q: give one of %s", o.format, strings.Join(formats, ", "))}
	}
	if o.json && o.raw {
		return &flagError{fmt.Errorf("--json and --raw exclude each other")}
	}
	switch {
	case o.json:
		o.format = "json"
	case o.raw:
		o.format = "raw"
	}
	return nil
}
