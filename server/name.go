package server

import (
	"context"
	"crypto/rand"
	"net/http"
)

// nameOf is where a request carries its name.
type nameOf struct{}

// named gives every request a name, for the log and for problems.
func named(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), nameOf{}, rand.Text()[:16])))
	})
}

// requestOf is the name of a request.
func requestOf(r *http.Request) string {
	name, _ := r.Context().Value(nameOf{}).(string)
	return name
}
