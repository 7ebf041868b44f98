// Package doctor reports what works and what does not: plugins, tools, projects.
package doctor
