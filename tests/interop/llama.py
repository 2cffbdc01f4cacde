"""llama.py - llama.cpp's own loading of models, by its libllama."""

import ctypes
import glob
import os
import signal

import peers

SECONDS = 60


class Params(ctypes.Structure):
    """llama_model_params, of which we know no member: room for all of them."""
    _fields_ = [("bytes", ctypes.c_char * 512)]


class Models:
    """llama_model_load_from_file of libllama."""

    def __init__(self, folder):
        self.folder = folder

    def library(self, name):
        path = glob.glob(os.path.join(glob.escape(self.folder), name))[0]
        return ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)

    def load_here(self, path, told):
        self.library("libggml-base.so")
        ggml, llama = self.library("libggml.*so"), self.library("libllama.*so")
        kind = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p,
                                ctypes.c_void_p)
        lines = []
        log = kind(lambda _, text, __: lines.append(text))
        llama.llama_log_set(log, None)
        ggml.ggml_backend_load_all_from_path(os.fsencode(self.folder))
        llama.llama_model_default_params.restype = Params
        load = llama.llama_model_load_from_file
        load.argtypes, load.restype = [ctypes.c_char_p, Params], \
            ctypes.c_void_p
        loaded = load(os.fsencode(path), llama.llama_model_default_params())
        why = b"".join(t for t in lines if b"error loading model" in t)
        os.write(told, b"loaded" if loaded else why)

    def load(self, path):
        """"loaded", or why not; in a child, which may die of it."""
        heard, told = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                signal.alarm(SECONDS)
                null = os.open(os.devnull, os.O_WRONLY)
                os.dup2(null, 1)
                os.dup2(null, 2)
                os.environ["GGML_NO_BACKTRACE"] = "1"
                self.load_here(path, told)
            finally:
                os._exit(0)
        os.close(told)
        with os.fdopen(heard, "rb") as f:
            text = f.read().decode(errors="replace")
        os.waitpid(pid, 0)
        return text or "died"


def find_models():
    """That of the folder in which libggml-base is; else the test is skipped."""
    ggml = peers.find_ggml()
    if not ggml or not glob.glob(os.path.join(
            glob.escape(os.path.dirname(ggml)), "libllama.*so")):
        peers.skip("no libllama; GGK_PEERS may name a folder with npm "
                   "@node-llama-cpp/linux-x64 3.22.1")
    return Models(os.path.dirname(ggml))
