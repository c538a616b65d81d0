package device

// Driver answers calls of a GPU's driver by the names of its functions, as the driver's own library does.
type Driver interface {
	Call(name string, args ...uintptr) (code int)
}

// find returns what answers calls: d, or the library where d is nil. Where there is nothing the error is an *AbsentError.
func find(d Driver) (Driver, error) {
	if d != nil {
		return d, nil
	}
	return openLibrary()
}
