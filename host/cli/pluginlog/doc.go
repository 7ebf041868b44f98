// Package pluginlog keeps what plugins log. It is not responsible for what is logged.
package pluginlog
