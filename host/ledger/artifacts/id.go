package artifacts

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// ID names the session of a command: what the user said with PROCTOR_SESSION, else
// the run and attempt of the CI that it is part of, else the terminal session. It is
// empty without any: see [Config.Idle]. getenv looks up variables.
func ID(override string, getenv func(name string) string) string {
	if override != "" {
		return override
	}
	if id := jobID(getenv); id != "" {
		return id
	}
	id, _ := terminalID()
	return id
}

// provider is a CI. Its run is named by the first of run that is set, its attempt by
// those of attempt that are.
type provider struct {
	name string
	// mark is set wherever it is this provider.
	mark         string
	run, attempt []string
}

// providers are those whose variables are documented. GitLab and Woodpecker have names
// in common; what several imitate (GITHUB_) is looked for first.
func providers() []provider {
	return []provider{
		{"github", "GITHUB_RUN_ID", []string{"GITHUB_RUN_ID"}, []string{"GITHUB_RUN_ATTEMPT"}},
		{"gitlab", "GITLAB_CI", []string{"CI_PIPELINE_ID"}, []string{"CI_JOB_ID"}}, // a job that is retried is another job
		{"buildkite", "BUILDKITE", []string{"BUILDKITE_BUILD_ID"}, []string{"BUILDKITE_RETRY_COUNT"}},
		{"circleci", "CIRCLECI", []string{"CIRCLE_WORKFLOW_ID", "CIRCLE_BUILD_NUM"}, nil},
		{"azure", "TF_BUILD", []string{"BUILD_BUILDID"}, []string{"SYSTEM_STAGEATTEMPT", "SYSTEM_JOBATTEMPT"}},
		{"jenkins", "JENKINS_URL", []string{"BUILD_TAG"}, nil},
		{"travis", "TRAVIS", []string{"TRAVIS_BUILD_ID"}, []string{"TRAVIS_JOB_ID"}},
		{"bitbucket", "BITBUCKET_BUILD_NUMBER", []string{"BITBUCKET_PIPELINE_UUID", "BITBUCKET_BUILD_NUMBER"}, []string{"BITBUCKET_STEP_RUN_NUMBER"}},
		{"teamcity", "TEAMCITY_VERSION", []string{"BUILD_NUMBER"}, nil},
		{"appveyor", "APPVEYOR", []string{"APPVEYOR_BUILD_ID"}, []string{"APPVEYOR_JOB_ID"}},
		{"codebuild", "CODEBUILD_BUILD_ID", []string{"CODEBUILD_BUILD_ID"}, nil},
		{"semaphore", "SEMAPHORE", []string{"SEMAPHORE_WORKFLOW_ID"}, nil},
		{"drone", "DRONE", []string{"DRONE_BUILD_NUMBER"}, nil},
		{"woodpecker", "CI_PIPELINE_NUMBER", []string{"CI_PIPELINE_NUMBER"}, nil},
		{"cirrus", "CIRRUS_CI", []string{"CIRRUS_BUILD_ID"}, nil},
	}
}

// jobID names the run of the CI that a command is part of; empty where it is of none.
func jobID(getenv func(string) string) string {
	for _, p := range providers() {
		if getenv(p.mark) == "" {
			continue
		}
		for _, name := range p.run {
			run := getenv(name)
			if run == "" {
				continue
			}
			parts := []string{run}
			for _, name := range p.attempt {
				if attempt := getenv(name); attempt != "" {
					parts = append(parts, attempt)
				}
			}
			return p.name + "-" + word(strings.Join(parts, "-"))
		}
	}
	return ""
}

// maxRunName is how long the names of runs are as a rule: a UUID and a number.
const maxRunName = 60

// word makes a name of what a provider calls a run. What is no plain word gets a hash
// of its whole, so that two never become one.
func word(text string) string {
	plain := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		}
		return '-'
	}, text)
	if plain == text && len(text) <= maxRunName {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return plain[:min(len(plain), maxRunName-9)] + "-" + hex.EncodeToString(sum[:4])
}
