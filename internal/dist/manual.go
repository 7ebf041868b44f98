package main

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// completions returns the scripts for the completion of command lines, by the file names
// that shells look for.
func completions(root *cobra.Command) (map[string][]byte, error) {
	scripts := map[string][]byte{}
	for name, generate := range map[string]func(*bytes.Buffer) error{
		"proctor.bash": func(b *bytes.Buffer) error { return root.GenBashCompletionV2(b, true) },
		"_proctor":     func(b *bytes.Buffer) error { return root.GenZshCompletion(b) },
		"proctor.fish": func(b *bytes.Buffer) error { return root.GenFishCompletion(b, true) },
		"proctor.ps1":  func(b *bytes.Buffer) error { return root.GenPowerShellCompletionWithDesc(b) },
	} {
		var script bytes.Buffer
		if err := generate(&script); err != nil {
			return nil, err
		}
		scripts[name] = script.Bytes()
	}
	return scripts, nil
}

// manual writes the man pages of a tree of commands. It replaces cobra's generator, which
// takes the texts for Markdown and prints flags without the names of their values.
type manual struct {
	version string
	date    time.Time
}

// pages returns the pages of a command and all below it, by file name.
func (m manual) pages(cmd *cobra.Command) map[string][]byte {
	pages := map[string][]byte{pageName(cmd) + ".1": m.page(cmd)}
	for _, child := range documented(cmd) {
		for name, page := range m.pages(child) {
			pages[name] = page
		}
	}
	return pages
}

// documented returns the commands below a command that have pages.
func documented(cmd *cobra.Command) []*cobra.Command {
	var children []*cobra.Command
	for _, child := range cmd.Commands() {
		if child.IsAvailableCommand() {
			children = append(children, child)
		}
	}
	return children
}

func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// page writes one page in the macros of man(7).
func (m manual) page(cmd *cobra.Command) []byte {
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	var b bytes.Buffer
	fmt.Fprintf(&b, ".TH %s 1 %s %q \"proctor\"\n", strings.ToUpper(pageName(cmd)), m.date.UTC().Format(time.DateOnly), "proctor "+m.version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n", escapeRoff(pageName(cmd)), escapeRoff(cmd.Short))
	if cmd.Runnable() {
		fmt.Fprintf(&b, "%s\n", escapeRoff(cmd.UseLine()))
	}
	children := documented(cmd)
	if len(children) > 0 {
		fmt.Fprintf(&b, ".br\n%s COMMAND\n", escapeRoff(cmd.CommandPath()))
	}
	fmt.Fprintf(&b, ".SH DESCRIPTION\n")
	writeText(&b, cmd.Long)
	if cmd.Long == "" {
		writeText(&b, cmd.Short+".")
	}
	if len(children) > 0 {
		fmt.Fprintf(&b, ".SH COMMANDS\n")
		for _, child := range children {
			fmt.Fprintf(&b, ".TP\n\\fB%s\\fR(1)\n%s\n", escapeRoff(pageName(child)), escapeRoff(child.Short))
		}
	}
	writeFlags(&b, "OPTIONS", cmd.NonInheritedFlags())
	writeFlags(&b, "OPTIONS OF EVERY COMMAND", cmd.InheritedFlags())
	if cmd.HasExample() {
		fmt.Fprintf(&b, ".SH EXAMPLES\n")
		writeVerbatim(&b, cmd.Example)
	}
	if cmd.HasParent() {
		fmt.Fprintf(&b, ".SH SEE ALSO\n\\fB%s\\fR(1)\n", escapeRoff(pageName(cmd.Parent())))
	}
	return b.Bytes()
}

func writeFlags(b *bytes.Buffer, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Deprecated != "" {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		b.WriteString(".TP\n")
		if f.Shorthand != "" {
			fmt.Fprintf(b, "\\fB\\-%s\\fR, ", f.Shorthand)
		}
		fmt.Fprintf(b, "\\fB\\-\\-%s\\fR", escapeRoff(f.Name))
		switch {
		case value == "":
		case f.NoOptDefVal != "": // the value may be left out
			fmt.Fprintf(b, "[=\\fI%s\\fR]", escapeRoff(value))
		default:
			fmt.Fprintf(b, " \\fI%s\\fR", escapeRoff(value))
		}
		fmt.Fprintf(b, "\n%s\n", escapeRoff(usage))
	})
}

// writeText writes a text whose paragraphs are separated by empty lines; those with an
// indented line, such as tables, keep their lines.
func writeText(b *bytes.Buffer, text string) {
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		b.WriteString(".PP\n")
		if strings.HasPrefix(paragraph, " ") || strings.Contains(paragraph, "\n ") {
			writeVerbatim(b, paragraph)
			continue
		}
		fmt.Fprintf(b, "%s\n", escapeRoff(paragraph))
	}
}

func writeVerbatim(b *bytes.Buffer, text string) {
	fmt.Fprintf(b, ".nf\n%s\n.fi\n", escapeRoff(text))
}

// escapeRoff escapes what roff would interpret: backslashes, hyphens that should survive
// copying, and lines that would begin a request.
func escapeRoff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
