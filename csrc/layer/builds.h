// Builds in threads of their own.
#ifndef HALFCL_LAYER_BUILDS_H
#define HALFCL_LAYER_BUILDS_H

// Waits for builds in the background; what comes after calls the driver no more.
void builds_end(void);

// Has children of forks wait for no builds, since they have no other threads.
void builds_prepare_for_forks(void);

#endif
