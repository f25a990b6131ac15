#pragma once
// heliolite bound --kind orojenesis --fuse: whole networks, fused or not, by buffer size.
#include "engine/bounds/fusion/cut.h"
#include "workloads/network.h"

namespace heliolite::cli {

class Output;
struct OrojenesisArguments;

// The options of fusion that the arguments ask for. Errors: names that an option does not know.
SegmentOptions segment_options(const OrojenesisArguments& arguments);

// Answers for the network and returns the exit code.
int run_fused(const OrojenesisArguments& arguments, const Network& network, const Output& output);

}  // namespace heliolite::cli
