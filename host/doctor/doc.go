// Package doctor tells what works and what does not: plugins, tools, projects.
package doctor
