package cli

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// pseudoTerminal is a pseudo terminal with a program in it.
type pseudoTerminal struct {
	t       testing.TB
	columns int
	master  *os.File
	cmd     *exec.Cmd
	done    chan struct{} // closed when everything was read

	mu  sync.Mutex
	raw []byte
}

// openTerminal starts a program in a terminal of its own, as its session leader.
func openTerminal(t testing.TB, columns, rows int, cmd *exec.Cmd) *pseudoTerminal {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo terminals here:", err)
	}
	// See ptmx(4): unlock the other side, and ask for its number. Fd() makes
	// the file blocking, which a reader in a goroutine may be.
	fd := int(master.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo terminals here:", err)
	}
	defer slave.Close()
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(rows), Col: uint16(columns)}); err != nil {
		t.Fatal(err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	term := &pseudoTerminal{t: t, columns: columns, master: master, cmd: cmd, done: make(chan struct{})}
	go term.read()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-term.done
		master.Close()
	})
	return term
}

// read ends with an error once nobody has the other side open.
func (x *pseudoTerminal) read() {
	defer close(x.done)
	buf := make([]byte, 4096)
	for {
		n, err := x.master.Read(buf)
		x.mu.Lock()
		x.raw = append(x.raw, buf[:n]...)
		x.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// text is everything that was printed so far.
func (x *pseudoTerminal) text() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return string(x.raw)
}

// end waits for the end of the program and returns its exit code.
func (x *pseudoTerminal) end() int {
	x.cmd.Wait()
	<-x.done
	return x.cmd.ProcessState.ExitCode()
}

// screen is what stands on the terminal, without empty lines at the end.
func (x *pseudoTerminal) screen() string { return renderScreen(x.text(), x.columns) }

// renderScreen is a terminal that knows what proctor uses: line ends, colors, cursor
// up, and erase to the end of the line or the screen. It never scrolls.
func renderScreen(raw string, columns int) string {
	lines := [][]rune{nil}
	row, column := 0, 0
	put := func(r rune, cells int) {
		if column+cells > columns {
			row, column = row+1, 0
		}
		for len(lines) <= row {
			lines = append(lines, nil)
		}
		for len(lines[row]) < column {
			lines[row] = append(lines[row], ' ')
		}
		// The second cell of a wide character holds nothing.
		lines[row] = slices.Replace(lines[row], column, min(column+cells, len(lines[row])), append([]rune{r}, make([]rune, cells-1)...)...)
		column += cells
	}
	for raw != "" {
		if parameter, final, rest, ok := sequence(raw); ok {
			switch final {
			case 'A':
				row = max(row-parameter, 0)
			case 'K':
				if row < len(lines) {
					lines[row] = lines[row][:min(column, len(lines[row]))]
				}
			case 'J':
				lines = lines[:min(row+1, len(lines))]
				if row < len(lines) {
					lines[row] = lines[row][:min(column, len(lines[row]))]
				}
			}
			raw = rest
			continue
		}
		r, size := utf8.DecodeRuneInString(raw)
		if !utf8.FullRuneInString(raw) {
			break // the rest of a character is still to come
		}
		switch r {
		case '\r':
			column = 0
		case '\n':
			row++
		default:
			put(r, cellsOf(r))
		}
		raw = raw[size:]
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(strings.TrimRight(strings.ReplaceAll(string(line), "\x00", ""), " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// sequence takes a control sequence off the beginning of a text.
func sequence(raw string) (parameter int, final byte, rest string, ok bool) {
	if !strings.HasPrefix(raw, "\x1b[") {
		return 0, 0, raw, false
	}
	end := strings.IndexFunc(raw[2:], func(r rune) bool { return r >= '@' && r <= '~' })
	if end < 0 {
		return 0, 0, raw, false
	}
	fmt.Sscan(raw[2:2+end], &parameter)
	return parameter, raw[2+end], raw[2+end+1:], true
}

// cellsOf is how many cells a character takes: East Asian ones take two.
func cellsOf(r rune) int {
	if r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 || r >= 0xff00 && r <= 0xff60 || r >= 0x1f300) {
		return 2
	}
	return 1
}
