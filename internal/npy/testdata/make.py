"""Makes the NumPy-written arrays of this folder (NumPy 2.4)."""
import io
import numpy as np

a = np.array([[1, -2, 3], [4, 5, -6]])
np.save("f8.npy", a / 4)
np.save("f8-fortran.npy", np.asfortranarray(a / 4))
np.save("f4.npy", (a / 4).astype("<f4"))
np.save("i4-fortran.npy", np.asfortranarray(a.astype("<i4")))
np.save("i8.npy", a.astype("<i8"))
np.save("scalar.npy", np.float64(0.1))
np.save("empty.npy", np.zeros((0, 3)))
np.save("cube-fortran.npy", np.asfortranarray(np.arange(24.0).reshape(2, 3, 4)))
np.save("object.npy", np.array([{}], dtype=object))
np.save("big-endian.npy", a.astype(">f8"))
for version in (2, 3):
    with open(f"version{version}.npy", "wb") as f:
        np.lib.format.write_array(f, a / 4, version=(version, 0))
np.savez_compressed("two.npz", first=a / 4, second=np.arange(5.0))
