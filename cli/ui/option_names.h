#pragma once
// Options whose values are names, which complaints, completions and manual pages list.
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace heliolite::cli {

// The value must be one of these names, in any case; it becomes the name as written here. For Option::transform().
CLI::Validator one_of(std::vector<std::string> names);

// The value may be one of these names, or something else, which the command checks. For Option::check().
CLI::Validator offered(const std::vector<std::string>& names);

// What an option's validator that allows these names says of itself, for names_of().
std::string in_braces(const std::vector<std::string>& names);

// The names that a validator of the option allows; none for other options.
std::vector<std::string> names_of(const CLI::Option& option);

// "FILE": what help shows for the value, without what it may be.
std::string placeholder(const CLI::Option& option);

}  // namespace heliolite::cli
