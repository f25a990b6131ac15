#include "workloads/workload_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "engine/base/text.h"
#include "workloads/compact_text.h"
#include "workloads/einsum_text.h"
#include "workloads/network_parts.h"
#include "workloads/workload_yaml.h"

namespace heliolite {
namespace {

// What parameters mean whose meaning the formula does not show.
struct Meaning {
  std::string_view parameter, help, usual;
};
constexpr Meaning kConvolution[] = {
    {"n", "Images.", "1"},
    {"k", "Output channels, of all groups together.", ""},
    {"c", "Input channels, of all groups together.", ""},
    {"p", "Output pixels along the width.", ""},
    {"q", "Output pixels along the height.", "p"},
    {"r", "Width of the kernel.", "1"},
    {"s", "Height of the kernel.", "r"},
    {"stride", "Stride, of both directions.", "1"},
    {"wstride", "Stride along the width.", "stride"},
    {"hstride", "Stride along the height.", "stride"},
    {"dilation", "Dilation of the kernel, of both directions.", "1"},
    {"wdilation", "Dilation of the kernel along the width.", "dilation"},
    {"hdilation", "Dilation of the kernel along the height.", "dilation"},
    {"groups", "Groups that split both channels.", "1"},
};

FileField parameter_field(const Family& family, std::size_t place) {
  const std::string_view name = family.parameters[place];
  FileField field{name, shape::integer(1, static_cast<i64>(largest_value(name))), ""};
  const auto* known = std::ranges::find(kConvolution, name, &Meaning::parameter);
  if (family.formula.empty() && known != std::end(kConvolution)) {
    field.help = known->help;
    field.usual = known->usual;
  } else {
    field.help = fmt::format("Size of dimension {}.", family.dimensions[place]);
  }
  return field;
}

std::string family_help(const Family& family) {
  if (!family.formula.empty()) return fmt::format("{}.", family.formula);
  if (family.name == "fc") return "A fully connected layer: a convolution of one pixel.";
  if (family.name == "depthwise") return "A 2-D convolution with one filter for each channel.";
  if (family.name == "conv_wu") return "The weight update of a 2-D convolution, by the sizes of the forward layer.";
  return "A 2-D convolution.";
}

// The parameters of a family, which may also be written in capitals.
const FieldTable& parameter_fields(const Family& family) {
  static const std::map<std::string_view, FieldTable> tables = [] {
    std::map<std::string_view, FieldTable> made;
    for (const std::string& name : family_names()) {
      const Family& of = *find_family(name);
      FieldTable& table = made[of.name];
      table.name = "parameters of " + name;
      table.help = family_help(of);
      table.any_case = true;
      for (std::size_t i = 0; i < of.parameters.size(); ++i) table.fields.push_back(parameter_field(of, i));
    }
    return made;
  }();
  return tables.at(family.name);
}

// A map of parameters, or a text such as 512x512x512 or k=64,c=64.
Shape family_shape(const Family& family) {
  return shape::either({shape::map(parameter_fields(family)), shape::text()});
}

std::vector<FileField> family_fields() {
  std::vector<FileField> fields;
  for (const std::string& name : family_names()) {
    const Family& family = *find_family(name);
    fields.push_back({family.name, family_shape(family), family_help(family)});
  }
  return fields;
}

Shape inputs_shape() { return shape::list(shape::either({shape::text(), shape::map(input_fields())})); }

Shape sizes() { return shape::names(shape::integer(1, static_cast<i64>(kMaxDimensionSize))); }

}  // namespace

const FieldTable& family_defaults_fields() {
  static const FieldTable table{"defaults", "Parameters of layers that do not say.", family_fields()};
  return table;
}

const std::vector<FileField>& shape_fields() {
  static const std::vector<FileField> fields =
      joined(family_fields(),
             {{"einsum", shape::text(),
               "A formula such as o[i,j] += a[i,k]*b[k,j], with sizes after a semicolon or in sizes."},
              {"dimensions", sizes(), "Sizes of the dimensions by name; tensors and output go with them."},
              {"sizes", sizes(), "Sizes of the dimensions of einsum."},
              {"tensors", shape::names(shape::list(shape::text())),
               "Ranks of each tensor: dimensions, or sums such as 2*P+R."},
              {"output", shape::text(), "Which of the tensors is the output."},
              {"roles", shape::names(shape::one_of({"input", "weight", "output"})),
               "Which tensors are weights; those not named are inputs.", "", "by the names of the tensors"},
              {"operation", shape::one_of(operation_names()),
               "What is done at each point of the nest, and so which compute units can run it.", "", "product"},
              {"operations", shape::integer(1, static_cast<i64>(kMaxOperationsOfPoint)),
               "How many operations of a compute unit that takes at each point.", "", "1"},
              {"unit", shape::text(), "The machine's compute unit that runs it.", "", "the best that can"},
              {"word_bits", shape::either({shape::word_length(), shape::names(shape::word_length())}),
               "Bits of the words of all tensors, or by the name or role of each.", "", "the words of each level"}});
  return fields;
}

const FieldTable& layer_fields() {
  static const FieldTable table{
      "layer", "A layer of a network: its name and one shape.",
      joined({required({"name", shape::text(), "Unique, without / and @."}),
              {"count", shape::integer(1, static_cast<i64>(kMaxLayerCount)), "How often the network executes it.", "",
               "1"},
              {"reads", shape::names(shape::text()), "Of operands: the layer whose output each is, or the input."}},
             shape_fields())};
  return table;
}

const FieldTable& block_fields() {
  static const FieldTable table{
      "block",
      "A part of a network: another network, or layers.",
      {{"name", shape::text(), "Its layers are called NAME.LAYER.", "", "they keep their names"},
       {"repeat", shape::integer(1, static_cast<i64>(kMaxLayerCount)), "How often the network executes it.", "", "1"},
       {"network", shape::text(), "A file (beside this one), a preset or a text, as -w takes it."},
       {"layers", shape::list(shape::map(layer_fields())), "Its layers, in place of a network."},
       {"edges", shape::list(shape::map(edge_fields())), "Which operands of them are outputs of layers, or inputs."},
       {"inputs", inputs_shape(), "Inputs that their operands read together, by name."}}};
  return table;
}

const FieldTable& workload_file_fields() {
  static const FieldTable table{
      "workload file", "A network, by its layers, or one workload, by its shape.",
      joined(
          {{"name", shape::text(), "Name of the network or workload.", "", "the file's name"},
           {"source", shape::any(), "Where the numbers are from, for readers."},
           {"batch", shape::integer(1, static_cast<i64>(kMaxBatch)), "Multiplies the batch dimension of every layer.",
            "", "1"},
           {"batch_in_sizes", shape::integer(1, static_cast<i64>(kMaxBatch)),
            "Inputs that one run works on and whose words the sizes of the layers hold already.", "", "1"},
           {"pass", shape::one_of({"forward", "weight_update"}),
            "Whether each conv and fc is turned into its weight update.", "", "forward"},
           {"defaults", shape::map(family_defaults_fields()), "Parameters of layers that do not say, by shape."},
           {"layers", shape::list(shape::either({shape::map(layer_fields()), shape::map(block_fields())})),
            "The layers of the network, and blocks of them."},
           {"layers_from", shape::text(), "The preset whose layers the network has."},
           {"network", shape::text(), "The network that this one repeats: a file, a preset or a text."},
           {"repeat", shape::integer(1, static_cast<i64>(kMaxLayerCount)), "How often all of it is executed.", "", "1"},
           {"tokens", shape::integer(1, static_cast<i64>(kMaxTokens)),
            "Of a language model: tokens that one run makes or reads for one input of the batch."},
           {"one_run", shape::text(), "What one run is if it is no inference: 'one of the 32 blocks of Llama 3 8B'.",
            "", "an inference for each input of the batch"},
           {"edges", shape::list(shape::map(edge_fields())), "Which operands are outputs of layers, or inputs."},
           {"inputs", inputs_shape(), "Inputs that operands read together, by name."}},
          shape_fields())};
  return table;
}

void add_at(const YamlNode& node, const Diagnostics& inner, Diagnostics& errors) {
  for (const Diagnostic& error : inner) {
    const std::string where = error.field.empty() ? "" : error.field + ": ";
    errors.push_back(node.error(where + error.message));
  }
}

std::optional<u64> read_size(const YamlNode& node, std::string_view name, u64 largest, Diagnostics& errors) {
  const std::optional<i64> value = node.as_integer();
  if (value && *value >= 1 && static_cast<u64>(*value) <= largest) return static_cast<u64>(*value);
  errors.push_back(node.error(fmt::format("{} = {}, must be an integer from 1 to {}", name, shown(node), largest)));
  return std::nullopt;
}

std::optional<Arguments> read_arguments(const Family& family, const YamlNode& node, Diagnostics& errors) {
  if (node.is_scalar()) {
    Result<Arguments> parsed = parse_arguments(family, node.text());
    if (parsed) return std::move(*parsed);
    add_at(node, parsed.errors(), errors);
    return std::nullopt;
  }
  if (!node.is_map()) {
    errors.push_back(node.error(fmt::format("{} must be a map of sizes, like {{{}: 64, ..}}, not {}", family.name,
                                            family.parameters.front(), shown(node))));
    return std::nullopt;
  }
  const std::vector<std::string> names(family.parameters.begin(), family.parameters.end());
  const std::size_t before = errors.size();
  Arguments arguments;
  for (const std::string& key : node.keys()) {
    const YamlNode value = *node.find(key);
    const auto parameter = find_parameter(family, key);
    if (!parameter) {
      const std::string hint = did_you_mean(key, names);
      errors.push_back({node.file(), node.key_line(key), node.field(),
                        fmt::format("unknown key '{}'{}", shortened(key),
                                    hint.empty() ? ", must be one of " + join(names, "or") : hint)});
    } else if (const auto size = read_size(value, *parameter, largest_value(*parameter), errors)) {
      if (!arguments.emplace(*parameter, *size).second)
        errors.push_back(value.error(fmt::format("a second value for {}", *parameter)));
    }
  }
  if (errors.size() != before) return std::nullopt;
  return arguments;
}

}  // namespace heliolite
