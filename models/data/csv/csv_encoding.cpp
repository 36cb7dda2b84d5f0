#include "models/data/csv/csv_encoding.hpp"

#include <algorithm>
#include <utility>

#include "runtime/files/input_file.hpp"
#include "runtime/invalid.hpp"
#include "runtime/log.hpp"
#include "runtime/printable.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

using Role = InputColumn::Role;

[[noreturn]] void refuse(const std::string& file, const std::string& what) {
  throw Error(ErrorCode::bad_data, what, {.object = file});
}

bool is_answer(const InputColumn& column) { return column.role == Role::target || column.role == Role::label; }

/// Matches the columns of one file with those of the training data; see `columns_like`.
class Matcher {
 public:
  Matcher(const std::string& file, CsvArguments& asked, const DataInfo& trained)
      : file_(file), asked_(asked), trained_(trained), reader_(file, asked.separator) {
    if (!reader_.next()) throw_bad_file(file, "the file has no rows");
    first_ = fields_of(reader_);
  }

  std::vector<CsvColumn> match() {
    const bool by_number = !trained_.encoding.header;
    const bool header =
        asked_.header == CsvArguments::Header::unknown ? names_columns() : asked_.header == CsvArguments::Header::yes;
    asked_.header = header ? CsvArguments::Header::yes : CsvArguments::Header::no;
    columns_ = named_columns(reader_, first_, header);
    for (CsvColumn& column : columns_) column.role = Role::ignored;
    header && !by_number ? take_by_name() : take_by_number();
    take_asked();
    check_targets();
    return std::move(columns_);
  }

 private:
  /// Returns whether the first row of the file is a header. Returns true in two cases: if the first row contains the
  /// names of all features of the training data, or if it contains no number although some features are numbers.
  bool names_columns() const {
    const auto& known = trained_.encoding.columns;
    const auto is_named = [&](const InputColumn& column) {
      return column.role != Role::feature ||
             std::ranges::any_of(first_, [&](const std::string& field) { return printable(field) == column.name; });
    };
    if (trained_.encoding.header && std::ranges::all_of(known, is_named)) return true;
    const bool has_numbers = std::ranges::any_of(
        known, [](const InputColumn& column) { return column.role == Role::feature && !column.is_text; });
    return has_numbers && looks_like_header(first_);
  }

  void take_by_name() {
    std::string missing;
    std::size_t next_slot = 0;
    for (const InputColumn& known : trained_.encoding.columns) {
      const auto found = std::ranges::find(columns_, known.name, &CsvColumn::name);
      if (found != columns_.end())
        take(*found, known, next_slot);
      else if (known.role == Role::feature)
        missing += (missing.empty() ? "'" : ", '") + known.name + "'";
      next_slot += known.role == Role::feature ? 1 : 0;
    }
    if (!missing.empty())
      refuse(file_, "there is no column " + missing + ", on which the network was trained; the columns are " +
                        list_of(columns_));
    note_extra_columns();
  }

  using Chosen = std::vector<const InputColumn*>;

  /// Returns the columns of the training data that a file without column names contains. Tries four selections of the
  /// training data's columns: all columns; all except targets and class; all except ignored columns; only the features.
  /// Returns the selection that has as many columns as the file.
  /// @throws Error bad_data if no selection has as many columns as the file, or several different selections have
  Chosen choose_by_number() const {
    std::vector<Chosen> fitting;
    const auto add = [&](auto wanted) {
      Chosen chosen;
      for (const InputColumn& column : trained_.encoding.columns)
        if (wanted(column)) chosen.push_back(&column);
      if (chosen.size() == columns_.size() && std::ranges::find(fitting, chosen) == fitting.end())
        fitting.push_back(std::move(chosen));
    };
    add([](const InputColumn&) { return true; });
    add([](const InputColumn& column) { return !is_answer(column); });
    add([](const InputColumn& column) { return column.role != Role::ignored; });
    add([](const InputColumn& column) { return column.role == Role::feature; });
    if (fitting.size() == 1) return fitting.front();
    const auto& known = trained_.encoding.columns;
    const std::string count = "the file has " + std::to_string(columns_.size()) + " columns without names, but ";
    if (fitting.size() > 1)
      refuse(file_, count + "they could be " + names_of(fitting[0]) + " or " + names_of(fitting[1]));
    refuse(file_, count + "the network was trained on " + std::to_string(known.size()) + ", with " +
                      std::to_string(std::ranges::count(known, Role::feature, &InputColumn::role)) + " inputs");
  }

  static std::string names_of(const Chosen& columns) {
    std::string list;
    for (const InputColumn* const column : columns) {
      if (!list.empty()) list += ", ";
      list += '\'' + column->name + '\'';
    }
    return list;
  }

  void take_by_number() {
    const Chosen chosen = choose_by_number();
    std::size_t next_slot = 0;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      take(columns_[i], *chosen[i], next_slot);
      if (asked_.header == CsvArguments::Header::no) columns_[i].name = chosen[i]->name;
      next_slot += chosen[i]->role == Role::feature ? 1 : 0;
    }
    if (trained_.encoding.header)
      log_line(LogLevel::info, printable(file_) + ": no header; assuming the columns " + names_of(chosen));
  }

  void take(CsvColumn& column, const InputColumn& known, std::size_t slot) {
    if (is_answer(known) && (!asked_.targets.empty() || !asked_.class_column.empty())) return;
    column.role = known.role;
    column.is_text = known.is_text;
    column.fill = known.fill;
    if (known.role == Role::feature) column.slot = slot;
    column.categories = Categories(known.categories);
  }

  void note_extra_columns() const {
    std::string extra;
    for (const CsvColumn& column : columns_) {
      const auto& known = trained_.encoding.columns;
      const bool named = std::ranges::find(known, column.name, &InputColumn::name) != known.end();
      const auto is_asked = [&](const std::vector<std::string>& names) {
        return std::ranges::find(names, column.name) != names.end();
      };
      if (named || is_asked(asked_.ignored) || is_asked(asked_.targets) || column.name == asked_.class_column) continue;
      extra += (extra.empty() ? "" : ", ") + column.name;
    }
    if (!extra.empty())
      log_line(LogLevel::info,
               printable(file_) +
                   ": ignored these columns, because the network was not trained on them: " + printable(extra));
  }

  /// Applies the options that the user gave in the data name. These options may name columns that the training data did
  /// not have.
  void take_asked() {
    for (const std::string& name : asked_.ignored) other_than_feature(name, "ignore").role = Role::ignored;
    for (const std::string& name : asked_.targets) {
      CsvColumn& column = other_than_feature(name, "target");
      if (column.role == Role::target) throw_invalid("csv: target=" + column.name + " is given twice");
      column.role = Role::target;
    }
    if (!asked_.class_column.empty()) {
      CsvColumn& column = other_than_feature(asked_.class_column, "class");
      column.role = Role::label;
      column.is_text = true;
      column.categories = Categories(classes());
    }
    for (const std::string& name : asked_.text)
      if (const CsvColumn& column = find_column(columns_, name, file_); column.role == Role::feature && !column.is_text)
        throw_invalid("csv: text=" + column.name + ": the network was trained with this column as numbers");
    using Rule = MissingFields::Rule;
    if (asked_.missing.rule == Rule::refuse || asked_.missing.rule == Rule::mean) asked_.missing.rule = Rule::trained;
  }

  /// Returns the names of the classes of the training data; empty if the training data had no classes.
  const std::vector<std::string>& classes() const {
    const auto& known = trained_.encoding.columns;
    const auto label = std::ranges::find(known, Role::label, &InputColumn::role);
    return label == known.end() ? trained_.class_names : label->categories;
  }

  CsvColumn& other_than_feature(const std::string& name, const char* option) {
    CsvColumn& column = find_column(columns_, name, file_);
    if (column.role == Role::feature)
      throw_invalid(std::string("csv: ") + option + "=" + column.name +
                    ": the network was trained with this column as an input");
    return column;
  }

  /// Sets the number (CsvColumn::slot) of each target. If the file has the same targets as the training data, numbers
  /// them in the order of the training data. Otherwise numbers them in the order of the file.
  /// @throws Error bad_data if the file has some but not all targets of the training data, and the user did not choose
  /// targets
  void check_targets() {
    std::vector<CsvColumn*> targets;
    for (CsvColumn& column : columns_)
      if (column.role == Role::target) targets.push_back(&column);
    const std::vector<std::string>& names = trained_.target_names;
    const auto place = [&](const CsvColumn* target) {
      return static_cast<std::size_t>(std::ranges::find(names, target->name) - names.begin());
    };
    if (asked_.targets.empty() && !targets.empty() && targets.size() < names.size())
      refuse(file_, "some targets of the network are missing, but there are others; exclude the others with ignore=");
    const bool same = targets.size() == names.size() &&
                      std::ranges::all_of(targets, [&](const auto* each) { return place(each) < names.size(); });
    for (std::size_t i = 0; i < targets.size(); ++i) targets[i]->slot = same ? place(targets[i]) : i;
  }

  const std::string& file_;
  CsvArguments& asked_;
  const DataInfo& trained_;
  CsvReader reader_;
  std::vector<std::string> first_;
  std::vector<CsvColumn> columns_;
};

}  // namespace

InputEncoding encoding_of(const std::vector<CsvColumn>& columns, const std::vector<float>& means,
                          const CsvArguments& asked) {
  InputEncoding encoding;
  encoding.header = asked.header == CsvArguments::Header::yes;
  for (std::size_t i = 0; i < columns.size(); ++i)
    encoding.header = encoding.header || columns[i].name != std::to_string(i + 1);
  for (const CsvColumn& column : columns) {
    InputColumn known{.name = column.name, .role = column.role, .is_text = column.is_text};
    const bool feature = column.role == Role::feature;
    if (column.role != Role::ignored && column.is_text) known.categories = column.categories.names();
    using Rule = MissingFields::Rule;
    if (feature && !column.is_text && asked.missing.rule == Rule::mean) known.fill = means[column.slot];
    if (feature && !column.is_text && asked.missing.rule == Rule::number) known.fill = asked.missing.number;
    encoding.columns.push_back(std::move(known));
  }
  return encoding;
}

std::vector<CsvColumn> columns_like(const std::string& file, CsvArguments& asked, const DataInfo& trained) {
  return Matcher(file, asked, trained).match();
}

InputEncoding encoding_like(const InputEncoding& trained, const std::vector<CsvColumn>& columns,
                            const CsvArguments& asked) {
  InputEncoding encoding = trained;
  if (asked.targets.empty() && asked.class_column.empty()) return encoding;
  for (InputColumn& known : encoding.columns)
    if (is_answer(known)) known = {.name = known.name, .role = Role::ignored};
  for (const CsvColumn& column : columns) {
    if (column.role != Role::target && column.role != Role::label) continue;
    const auto known = std::ranges::find(encoding.columns, column.name, &InputColumn::name);
    InputColumn& now = known == encoding.columns.end() ? encoding.columns.emplace_back() : *known;
    now = {
        .name = column.name, .role = column.role, .is_text = column.is_text, .categories = column.categories.names()};
  }
  return encoding;
}

}  // namespace troupe
