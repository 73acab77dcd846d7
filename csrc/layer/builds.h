// Builds in threads of their own.
#ifndef HALFCL_LAYER_BUILDS_H
#define HALFCL_LAYER_BUILDS_H

// Waits for builds in the background; what comes after calls the driver no more.
void builds_end(void);

#endif
