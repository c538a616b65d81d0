package server

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// traced begins the span of a request, which belongs to the trace that its sender names. What is sent of it is the row of the table, the loop and
// how it ended, never what anybody wrote.
func (s *Server) traced(req *http.Request, r route) (*http.Request, func(status int)) {
	if s.setup.Tracer == nil || r.streams {
		return req, func(int) {}
	}
	ctx := propagation.TraceContext{}.Extract(req.Context(), propagation.HeaderCarrier(req.Header))
	ctx, span := s.setup.Tracer.Start(ctx, r.Method+" "+r.Path, trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(attribute.String("http.request.method", r.Method), attribute.String("http.route", r.Path)))
	if loop := req.PathValue("loop"); loopName.MatchString(loop) {
		span.SetAttributes(attribute.String("kedge.loop", loop))
	}
	return req.WithContext(ctx), func(status int) {
		span.SetAttributes(attribute.Int("http.response.status_code", status))
		if status >= 500 {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

// span begins a part of a request.
func (s *Server) span(ctx context.Context, name string) (end func()) {
	_, span := s.setup.Tracer.Start(ctx, name)
	return func() { span.End() }
}
