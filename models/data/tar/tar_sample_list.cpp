#include "models/data/tar/tar_sample_list.hpp"

#include "models/data/tar/tar_lines.hpp"

namespace troupe {
namespace {

std::string line_of(const TarMember& member) {
  return escaped(member.name) + '\t' + std::to_string(member.offset) + '\t' + std::to_string(member.bytes);
}

std::string line_of(const TarSample& sample) {
  return line_of(sample.values) + '\t' + std::to_string(static_cast<int>(sample.answer)) + '\t' +
         (sample.answer == TarAnswer::targets ? line_of(sample.targets) : escaped(sample.label)) + '\n';
}

void read_member_of(LineFields& fields, TarMember& to) {
  fields.text(to.name);
  fields.number(to.offset);
  fields.number(to.bytes);
}

std::optional<TarSample> sample_from(std::string_view line) {
  TarSample sample;
  LineFields fields(line);
  int answer = 0;
  read_member_of(fields, sample.values);
  fields.number(answer);
  sample.answer = static_cast<TarAnswer>(answer);
  if (answer < static_cast<int>(TarAnswer::number) || answer > static_cast<int>(TarAnswer::targets))
    return std::nullopt;
  if (sample.answer == TarAnswer::targets)
    read_member_of(fields, sample.targets);
  else
    fields.text(sample.label);
  if (!fields.all_good()) return std::nullopt;
  return sample;
}

}  // namespace

void TarSampleList::add(const TarSample& sample) {
  lines_ += line_of(sample);
  ++size_;
}

void TarSampleList::for_each(const Use& use) const {
  for (std::string_view rest = lines_; !rest.empty();) use(*sample_from(take_line(rest)));
}

std::optional<TarSampleList> TarSampleList::from_lines(std::string_view lines, const Use& check) {
  TarSampleList list;
  for (std::string_view rest = lines; !rest.empty(); ++list.size_) {
    const auto sample = sample_from(take_line(rest));
    if (!sample) return std::nullopt;
    check(*sample);
  }
  list.lines_ = lines;
  return list;
}

}  // namespace troupe
