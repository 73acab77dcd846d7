/* The complex functions of Windows' C library that NumPy calls, and Wine has none of: for
 * tools/test_windows_wheel.sh, by MinGW's own. Structures are passed as MSVC passes complex
 * numbers; its long doubles are doubles. */
#include <complex.h>

typedef struct {
    double real, imaginary;
} z;
typedef struct {
    float real, imaginary;
} c;

#define OF_Z(x) __builtin_complex((x).real, (x).imaginary)
#define REAL(name)                                                                             \
    double wine_##name(z x)                                                                    \
    {                                                                                          \
        return name(OF_Z(x));                                                                  \
    }                                                                                          \
    double wine_##name##l(z x)                                                                 \
    {                                                                                          \
        return name(OF_Z(x));                                                                  \
    }                                                                                          \
    float wine_##name##f(c x)                                                                  \
    {                                                                                          \
        return name##f(OF_Z(x));                                                               \
    }
#define COMPLEX(name)                                                                          \
    z wine_##name(z x)                                                                         \
    {                                                                                          \
        double complex y = name(OF_Z(x));                                                      \
        return (z){creal(y), cimag(y)};                                                        \
    }                                                                                          \
    z wine_##name##l(z x)                                                                      \
    {                                                                                          \
        return wine_##name(x);                                                                 \
    }                                                                                          \
    c wine_##name##f(c x)                                                                      \
    {                                                                                          \
        float complex y = name##f(OF_Z(x));                                                    \
        return (c){crealf(y), cimagf(y)};                                                      \
    }

REAL(cabs)
REAL(carg)
REAL(cimag)
REAL(creal)
COMPLEX(cacos)
COMPLEX(cacosh)
COMPLEX(casin)
COMPLEX(casinh)
COMPLEX(catan)
COMPLEX(catanh)
COMPLEX(ccos)
COMPLEX(ccosh)
COMPLEX(cexp)
COMPLEX(clog)
COMPLEX(csin)
COMPLEX(csinh)
COMPLEX(csqrt)
COMPLEX(ctan)
COMPLEX(ctanh)

z wine_cpow(z x, z y)
{
    double complex r = cpow(OF_Z(x), OF_Z(y));
    return (z){creal(r), cimag(r)};
}

z wine_cpowl(z x, z y)
{
    return wine_cpow(x, y);
}

c wine_cpowf(c x, c y)
{
    float complex r = cpowf(OF_Z(x), OF_Z(y));
    return (c){crealf(r), cimagf(r)};
}
