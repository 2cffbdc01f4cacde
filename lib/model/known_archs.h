/* known_archs.h - the names that general.architecture may hold. */
#ifndef GGKI_KNOWN_ARCHS_H
#define GGKI_KNOWN_ARCHS_H

#include "ggk.h"

/* Does llama.cpp v0.5.0 know an architecture of that name? It refuses a model
 * of any other. */
bool ggki_arch_is_known(ggk_str name);

#endif
