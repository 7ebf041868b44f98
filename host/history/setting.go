package history

import "strings"

// settingMark ends the setting in an Environment. Behind it stands what else was not
// as usual, and in records of earlier versions all variables that the tests saw: these
// are environments of their own, equal to none that is recorded now.
const settingMark = "."

// EnvironmentOf makes the Environment of a run as earlier versions recorded it.
func EnvironmentOf(setting, surroundings string) string { return setting + settingMark + surroundings }

// ShortOf makes the Environment of a run of which the time was cut short. Its
// setting is the same.
func ShortOf(environment string) string { return environment + settingMark + "short" }

// Setting is the part of the Environment that decides which tests there are and
// how they are run. Results are evidence that a test is flaky only where the whole
// Environment is equal.
func (r Run) Setting() string { return settingOf(r.Environment) }

// Setting is that of the point's run.
func (p Point) Setting() string { return settingOf(p.Environment) }

func settingOf(environment string) string {
	setting, _, _ := strings.Cut(environment, settingMark)
	return setting
}
