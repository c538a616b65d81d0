package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// traces sends spans to a collector.
type traces struct{ *sdktrace.TracerProvider }

// openTraces begins to send spans to a collector by OTLP over HTTP, such as http://127.0.0.1:4318. What it does not take is dropped: nobody who
// decides waits for it.
func openTraces(ctx context.Context, address, version string, log *slog.Logger) (*traces, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("--otlp %s: want the address of a collector, as http://127.0.0.1:4318", address)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/v1/traces"
	}
	out, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(u.String()), otlptracehttp.WithTimeout(5*time.Second))
	if err != nil {
		return nil, fmt.Errorf("--otlp %s: %w", address, err)
	}
	about := resource.NewSchemaless(attribute.String("service.name", "kedge"), attribute.String("service.version", version))
	return &traces{sdktrace.NewTracerProvider(sdktrace.WithBatcher(noted{out, log}), sdktrace.WithResource(about))}, nil
}

// noted says in the log what could not be sent, instead of where the library would.
type noted struct {
	sdktrace.SpanExporter
	log *slog.Logger
}

func (n noted) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if err := n.SpanExporter.ExportSpans(ctx, spans); err != nil {
		n.log.Warn("spans were not taken", "spans", len(spans), "why", err)
	}
	return nil
}

// close sends what waits, within the time that requests have to end.
func (t *traces) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	return errors.Join(t.ForceFlush(ctx), t.Shutdown(ctx))
}
