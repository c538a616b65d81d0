package room

import "os"

func machine() Supply { return free(os.DirFS("/")) }
