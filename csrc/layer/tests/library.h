// Libraries that the tests' programs open, by the names that POSIX has for them.
#ifndef HALFCL_LAYER_LIBRARY_H
#define HALFCL_LAYER_LIBRARY_H

#ifdef _WIN32
#include <windows.h>
typedef HMODULE library_handle;
#define dlopen(path, flags) LoadLibraryA(path)
#define dlsym(library, name) (void *)(size_t)GetProcAddress(library, name)
#else
#include <dlfcn.h>
typedef void *library_handle;
#endif

#endif
