#pragma once
// What it is computed on: a chain of storage levels over an array of compute units.
//
//   auto eyeriss = heliolite::load_architecture("eyeriss");          // a preset, or a file of ours or of Timeloop
//   auto spec = heliolite::load_architecture_spec("simba");          // as its file states it, before energies ..
//   if (spec) spec->levels.front().fanout_x = 8;                     // .. which follow when it is resolved
//   auto variant = heliolite::resolve(*spec);
//   if (eyeriss && variant) std::printf("%s: %.2f mm2\n", variant->name.c_str(), variant->area_um2() / 1e6);
//
// An Architecture can also be filled in by hand, with every energy given; check() then says what is wrong.
#include "arch/architecture.h"                 // IWYU pragma: export
#include "arch/architecture_spec.h"            // IWYU pragma: export
#include "arch/check.h"                        // IWYU pragma: export
#include "engine/formats/load_architecture.h"  // IWYU pragma: export
