package solidity

import "slices"

// Linearize returns the contract and its bases in the order in which functions are
// looked up, the most derived first (C3 over the bases from right to left, like the
// compiler). Bases that cannot be found are left out.
func (p *Program) Linearize(ref Ref) []Ref {
	p.steps = 0
	return p.linearize(ref)
}

func (p *Program) linearize(ref Ref) []Ref {
	if line, ok := p.lines[ref]; ok {
		return line
	}
	p.lines[ref] = []Ref{ref} // breaks cycles of contracts that inherit from each other
	c, ok := p.Contract(ref)
	if !ok {
		return p.lines[ref]
	}
	var bases []Ref
	var lines [][]Ref
	for _, name := range slices.Backward(c.Bases) {
		found, ok := p.lookup(ref.Path, name)
		if !ok || found.contract == nil || found.typ != nil {
			continue
		}
		base := Ref{Path: found.path, Name: found.contract.Name}
		if base == ref || slices.Contains(bases, base) {
			continue
		}
		bases = append(bases, base)
		lines = append(lines, p.linearize(base))
	}
	above := slices.DeleteFunc(p.merge(append(lines, bases)), func(base Ref) bool { return base == ref })
	p.lines[ref] = append([]Ref{ref}, above...)
	return p.lines[ref]
}

// merge is the merge step of C3. If no order satisfies every line, which happens in no
// program that compiles, the head of the first line goes first.
func (p *Program) merge(lines [][]Ref) []Ref {
	// later counts the tails that contain a contract.
	later := map[Ref]int{}
	for _, line := range lines {
		for _, ref := range line[min(1, len(line)):] {
			later[ref]++
		}
	}
	var merged []Ref
	taken := map[Ref]bool{}
	for p.work += len(lines); p.work <= maxWork; p.work += len(lines) {
		next := -1
		for i := range lines {
			for len(lines[i]) > 0 && taken[lines[i][0]] {
				lines[i] = lines[i][1:]
				if len(lines[i]) > 0 {
					later[lines[i][0]]--
				}
			}
			if len(lines[i]) > 0 && (next < 0 || later[lines[next][0]] > 0 && later[lines[i][0]] == 0) {
				next = i
			}
		}
		if next < 0 {
			return merged
		}
		merged = append(merged, lines[next][0])
		taken[lines[next][0]] = true
	}
	return nil
}
