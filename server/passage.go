package server

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/internal/lists"
)

// namesOf are the names that a server goes by.
func namesOf(more []string) []string {
	return append([]string{"localhost", "127.0.0.1", "::1"}, lists.Of(more, plainName)...)
}

// plainName is the name in a Host header: without its port, brackets, capitals and a dot at the end.
func plainName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

// passage refuses a request that comes by a way or a name that it should not. A page on the net whose name leads here would otherwise be
// taken for one of this server's own.
func (s *Server) passage(r *http.Request) error {
	if len(s.setup.Proxies) > 0 {
		switch peer, local := peerOf(r); {
		case s.isProxy(peer):
			if host := r.Header.Get("X-Forwarded-Host"); host != "" {
				r.Host = host
			}
			if s.setup.ProxyTLS && strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "http") {
				return problem(forbidden, "the request came to the proxy in the open; call it by https")
			}
		case !local && r.TLS == nil:
			return problem(forbidden, "in the open this address is for the proxy alone")
		}
	}
	if name := plainName(r.Host); !slices.Contains(s.names, name) {
		return problem(wrongHost, fmt.Sprintf("this server is not called %q", name))
	}
	return nil
}

// peerOf is the other end of the connection, and whether that is on this machine.
func peerOf(r *http.Request) (peer netip.Addr, local bool) {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil { // a socket
		return peer, true
	}
	peer = at.Addr().Unmap()
	return peer, peer.IsLoopback()
}

func (s *Server) isProxy(peer netip.Addr) bool {
	return slices.ContainsFunc(s.setup.Proxies, func(n netip.Prefix) bool { return n.Contains(peer) })
}

// forwarded tells whether a proxy says that it sends a request for somebody else.
func forwarded(r *http.Request) bool {
	names := []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip", "Via"}
	return slices.ContainsFunc(names, func(name string) bool { return r.Header.Get(name) != "" })
}
