package reports

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/report"
)

const (
	// sendLimit is how long a collector may take: the default of OpenTelemetry's exporters.
	sendLimit = 10 * time.Second
	// maxAnswer bounds what is read of its answer.
	maxAnswer = 64 << 10
	// tracesPath is where a collector takes traces, unless the address has a path.
	tracesPath = "/v1/traces"
)

// send sends a report to a collector, by OTLP/HTTP with JSON. OTEL_EXPORTER_OTLP_HEADERS has
// headers, such as a key.
func (f File) send(ctx context.Context, s Surroundings, d *report.Document, o report.Options) error {
	address, err := url.Parse(f.Path)
	if err != nil || address.Hostname() == "" || address.User != nil {
		return errors.New("it is not the address of a collector, such as http://localhost:4318; put credentials into OTEL_EXPORTER_OTLP_HEADERS")
	}
	if address.Path == "" || address.Path == "/" {
		address.Path = tracesPath
	}
	var body bytes.Buffer
	if err := f.Write(&body, d, o); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendLimit) // an interrupted run has its report, too
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address.String(), &body)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	for _, header := range strings.Split(s.Getenv("OTEL_EXPORTER_OTLP_HEADERS"), ",") {
		if name, value, ok := strings.Cut(strings.TrimSpace(header), "="); ok {
			if plain, err := url.PathUnescape(value); err == nil {
				value = plain
			}
			req.Header.Set(strings.TrimSpace(name), strings.TrimSpace(value))
		}
	}
	// A redirect would send what tests printed elsewhere.
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if asked, ok := errors.AsType[*url.Error](err); ok {
		err = asked.Err // without the address, which may hold a key
	}
	if err != nil {
		return fmt.Errorf("the collector at %s: %w", address.Host, err)
	}
	defer resp.Body.Close()
	answer, _ := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusAccepted {
		return fmt.Errorf("the collector answered %d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	}
	if refused := report.RefusedByCollector(answer); refused != "" {
		return fmt.Errorf("the collector rejected a part: %s", refused)
	}
	return nil
}
