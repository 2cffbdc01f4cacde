"""ggml.py - llama.cpp's own loader, gguf_init_from_file of libggml-base."""

import ctypes
import os
import signal

SECONDS = 30


class InitParams(ctypes.Structure):
    _fields_ = [("no_alloc", ctypes.c_bool),
                ("ctx", ctypes.POINTER(ctypes.c_void_p))]


class Loader:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.gguf_init_from_file.argtypes = [ctypes.c_char_p,
                                                     InitParams]
        self.library.gguf_init_from_file.restype = ctypes.c_void_p

    def load(self, path, with_data):
        """In a child: 0 if it takes the file, 1 if not, else how it died."""
        pid = os.fork()
        if pid == 0:
            try:
                signal.alarm(SECONDS)
                null = os.open(os.devnull, os.O_WRONLY)
                os.dup2(null, 1)
                os.dup2(null, 2)
                tensors = ctypes.c_void_p()
                params = InitParams(not with_data, ctypes.pointer(tensors)
                                    if with_data else None)
                loaded = self.library.gguf_init_from_file(os.fsencode(path),
                                                          params)
                os._exit(0 if loaded else 1)
            finally:
                os._exit(2)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    def verdict(self, path):
        """no, metadata, yes; or crash, where not even the header is read.
        What dies over the data has not loaded it."""
        header = self.load(path, False)
        if header not in (0, 1):
            return "crash"
        if header == 1:
            return "no" if self.load(path, True) else "odd"
        return "metadata" if self.load(path, True) else "yes"
