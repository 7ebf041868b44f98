package forge

import "fmt"

// removedTests counts functions of a kind that forge no longer runs. Each keeps all
// other tests of its contract from running, so projects written for an earlier forge
// have many affected contracts: one note is enough.
type removedTests struct {
	first             string
	functions, suites int
}

func (r *removedTests) add(suite string, functions int) {
	if functions == 0 {
		return
	}
	if r.suites == 0 {
		r.first = suite
	}
	r.functions += functions
	r.suites++
}

func (r *removedTests) report(notes *noter) {
	if r.suites == 0 {
		return
	}
	where, others, are := r.first, "this contract", "are"
	if r.suites > 1 {
		where, others = fmt.Sprintf("%d contracts, such as %s,", r.suites, r.first), "these contracts"
	}
	if r.functions == 1 {
		are = "is"
	}
	notes.add(fmt.Sprintf("%s in %s %s of a kind that forge no longer runs (testFail*), which kept the other tests of %s from running: the runner argument --no-match-test '^testFail' leaves them out",
		countNoun(r.functions, "function", "functions"), where, are, others))
}
