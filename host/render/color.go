package render

// The SGR codes that the summary uses; see ECMA-48, 8.3.117.
const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
)

// painter colors text, or does not.
type painter struct{ on bool }

func (p painter) paint(code, text string) string {
	if !p.on || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p painter) bold(text string) string {
	if !p.on {
		return text
	}
	return "\x1b[1m" + text
}
