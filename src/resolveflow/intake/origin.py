"""Whether a frame is the application's own or belongs to a library, a runtime or a system."""

import re

_LIBRARY_PATHS = (
    "site-packages/",
    "dist-packages/",
    "node_modules/",
    "/rustc/",
    "rustlib/src/rust/",
    ".cargo/registry/",
    "/pkg/mod/",
    "/usr/lib/",
    "/usr/include/",
    "/usr/local/go/src/",
    "/gems/",
    "/vendor/",
    "/build/glibc",
    "/build/eglibc",
    "/sysdeps/",
    "/compiler-rt/",
    "/libfuzzer/",
    "/libFuzzer/",
    "node:",
    "<frozen ",
    "<__array_function__",
)
_PYTHON_STDLIB = re.compile(r"/lib(?:64)?/python\d[\d.]*/|\\lib\\[\w\\]+\.py$|[Pp]ython\d*\\lib\\")
_NODE_STDLIB = re.compile(
    r"(?:internal/[\w/-]+|events|module|fs|net|timers|stream|_stream_\w+|vm|node|domain|util|assert"
    r"|child_process|http|https|bootstrap_node|_http_\w+|_tls_\w+)\.js"
)
_NOWHERE = {"native", "<anonymous>", "[native code]", "native code"}

_LIBRARY_FUNCTIONS: dict[str, tuple[str, ...]] = {
    "java": (
        "java.", "javax.", "jdk.", "sun.", "com.sun.", "kotlin.", "kotlinx.", "scala.",
        "groovy.", "org.codehaus.groovy.", "android.", "androidx.", "com.android.", "dalvik.",
        "libcore.", "org.junit.", "org.gradle.", "com.code_intelligence.jazzer.",
    ),
    "csharp": ("System.", "Microsoft."),
    "rust": (
        "std::", "core::", "alloc::", "<core::", "<alloc::", "<std::", "rust_begin_unwind",
        "rust_panic", "__rust", "panic_abort::", "test::", "_start", "__libc_start", "main",
    ),
    "php": ("Illuminate\\", "Symfony\\", "Composer\\"),
    "dart": ("dart:",),
    "native": (
        "std::", "__asan", "__msan", "__tsan", "__ubsan", "__hwasan", "__lsan", "__sanitizer",
        "__interceptor", "___interceptor", "__cxa_", "__gnu_cxx", "__libc_start", "__GI_",
        "fuzzer::", "LLVMFuzzer", "HonggfuzzRun", "HonggfuzzMain", "logging::LogMessage",
        "logging::CheckError", "logging::NotReached", "base::debug::", "absl::log_internal::",
        "google::LogMessage",
        "fuzztest::", "testing::", "centipede::", "HF_", "__wrap_",
        "v8::base::debug::", "V8_Fatal", "v8::base::OS::Abort",
        "core::panicking", "rust_begin_unwind", "rust_panic", "kasan_", "dump_stack",
        "__dump_stack", "show_stack", "dump_backtrace", "print_address_description", "ntdll!",
        "KERNEL32!", "KERNELBASE!", "ucrtbase!",
    ),
}  # fmt: skip
_NATIVE_RUNTIME = {
    "raise", "gsignal", "abort", "__assert_fail", "malloc", "calloc", "realloc", "free", "memcpy",
    "memset", "memmove", "strlen", "strcpy", "operator new", "operator delete", "_start", "start",
    "start_thread", "clone", "main", "__pthread_start", "__start_thread", "Die", "wait4",
    "do_system", "ImmediateCrash", "pthread_mutex_lock", "Unwind", "CrashTrampolineAsm",
    "__restore_rt", "exit", "__run_exit_handlers", "__aeabi_memcpy", "V8_Dcheck",
}  # fmt: skip
_APPLE_MODULES = re.compile(
    r"(?:lib[\w.+-]+\.dylib|dyld|UIKit(?:Core)?|Foundation|Core\w+|GraphicsServices|AppKit"
    r"|Web(?:Core|Kit)|JavaScriptCore|QuartzCore|SwiftUI|libobjc\S*|CFNetwork|Security)"
)


def in_app(language: str, function: str, file: str, module: str = "") -> bool:
    """Decide by names and places that the ecosystems share; in doubt it is the application."""
    if not (function or file) or _library_path(language, file):
        return False
    if function.startswith(_LIBRARY_FUNCTIONS.get(language, ())):
        return False
    if language == "go":
        return not _go_library(function)
    if language == "native":
        return function not in _NATIVE_RUNTIME and not _APPLE_MODULES.fullmatch(module)
    return True


def _library_path(language: str, file: str) -> bool:
    path = file.replace("\\", "/") if language != "python" else file
    if any(mark in path for mark in _LIBRARY_PATHS) or "site-packages\\" in path:
        return True
    if language == "python":
        return _PYTHON_STDLIB.search(path) is not None
    if language == "javascript":
        return path in _NOWHERE or _NODE_STDLIB.fullmatch(path) is not None
    return False


def _go_library(function: str) -> bool:
    # Only the standard library's import paths have no dot in their first element.
    head, slash, _ = function.partition("/")
    return "." not in head if slash else not function.startswith("main.")
