// Serves a saved network for tables: reads rows from standard input and prints a line of outputs for each row.
//   troupe train --model softmax --data csv:flowers.csv --save flowers.safetensors
//   ./serve flowers.safetensors < rows.csv          the first line of rows.csv contains the column names
#include <algorithm>
#include <iostream>
#include <sstream>
#include <troupe/predictor.hpp>
#include <troupe/troupe.hpp>

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
  return fields;
}

int main(int argc, char** argv) try {
  const troupe::Predictor predictor(argc > 1 ? argv[1] : "network.safetensors");
  std::string line;
  std::getline(std::cin, line);
  const std::vector<std::string> columns = fields_of(line);
  while (std::getline(std::cin, line)) try {
      const std::vector<std::string> fields = fields_of(line);
      troupe::Row row;
      for (std::size_t i = 0; i < std::min(columns.size(), fields.size()); ++i) row.emplace(columns[i], fields[i]);
      for (const float output : predictor.predict(row)) std::cout << output << ' ';
      std::cout << std::endl;
    } catch (const troupe::Error& error) {
      std::cout << "refused: " << error.what() << std::endl;
    }
} catch (const troupe::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
