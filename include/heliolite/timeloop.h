#pragma once
// Timeloop's files one by one: machines with their reference tables and constraints, problems, mappings. Most programs
// need none of this: load_architecture(), load_network() and load_mapping() know these formats by their content.
//
//   auto file = heliolite::YamlNode::load_file("timeloop.yaml");          // several sections in one file
//   auto machine = heliolite::read_timeloop_architecture({*file});        // more files: ERT, ART, constraints
//   auto problem = heliolite::timeloop_problem(*file, "layer");
//   auto mapping = heliolite::read_timeloop_mapping(*file->find("mapping"), *problem, *machine);
//   auto form = heliolite::timeloop_form(*machine, *problem, heliolite::TimeloopVersion::V04);  // the way back
//   auto files = heliolite::write_timeloop_architecture(form->machine, heliolite::TimeloopVersion::V04);
//   auto text = heliolite::write_timeloop_mapping(*mapping, *problem, form->machine, heliolite::TimeloopVersion::V04);
#include <heliolite/mapping.h>  // IWYU pragma: export

#include "engine/base/yaml_node.h"                        // IWYU pragma: export
#include "engine/formats/timeloop/architecture_reader.h"  // IWYU pragma: export
#include "engine/formats/timeloop/architecture_writer.h"  // IWYU pragma: export
#include "engine/formats/timeloop/form.h"                 // IWYU pragma: export
#include "engine/formats/timeloop/mapping.h"              // IWYU pragma: export
#include "engine/formats/timeloop/problem.h"              // IWYU pragma: export
