#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bloomery::bench {

// Why a text is no well-formed XML, or nothing. Knows what the charts use: elements, attributes in
// double quotes, text and the five entities of XML; no comments, declarations or sections.
class XmlCheck {
 public:
  static std::optional<std::string> fault(std::string_view xml) {
    XmlCheck check(xml);
    const bool is_right = check.document();
    if (is_right) return std::nullopt;
    return std::string(check.fault_) + " at byte " + std::to_string(check.at_);
  }

 private:
  explicit XmlCheck(std::string_view xml) : xml_(xml) {}

  bool document() {
    bool has_root = false;
    while (at_ < xml_.size()) {
      if (xml_[at_] != '<') {
        if (!text()) return false;
        continue;
      }
      if (open_.empty() && has_root && !starts("</")) return wrong("a second root");
      has_root = true;
      if (!(starts("</") ? end_tag() : start_tag())) return false;
    }
    if (!open_.empty()) return wrong("an element that is not closed");
    return has_root || wrong("no element");
  }

  bool text() {
    const char c = xml_[at_];
    if (c == '&') return entity();
    const bool is_space = c == ' ' || c == '\n';
    if (open_.empty() && !is_space) return wrong("text outside the root");
    if (static_cast<unsigned char>(c) < ' ' && !is_space) return wrong("a control character");
    ++at_;
    return true;
  }

  bool entity() {
    for (const std::string_view name : {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"}) {
      if (!starts(name)) continue;
      at_ += name.size();
      return true;
    }
    return wrong("an unknown entity");
  }

  bool start_tag() {
    ++at_;
    const std::string_view element = name();
    if (element.empty()) return wrong("no name of an element");
    std::vector<std::string_view> seen;
    while (take(" ")) {
      const std::string_view attribute = name();
      for (const std::string_view other : seen) {
        if (other == attribute) return wrong("an attribute that stands twice");
      }
      seen.push_back(attribute);
      if (attribute.empty() || !take("=\"") || !value()) return wrong("a bad attribute");
    }
    if (take("/>")) return true;
    open_.push_back(element);
    return take(">") || wrong("a tag without end");
  }

  bool value() {
    while (at_ < xml_.size() && xml_[at_] != '"') {
      if (xml_[at_] == '<') return false;
      if (xml_[at_] != '&') {
        ++at_;
      } else if (!entity()) {
        return false;
      }
    }
    return take("\"");
  }

  bool end_tag() {
    at_ += 2;
    if (open_.empty() || name() != open_.back()) return wrong("an end of another element");
    open_.pop_back();
    return take(">") || wrong("a tag without end");
  }

  std::string_view name() {
    const std::size_t first = at_;
    while (at_ < xml_.size() && is_name(xml_[at_])) ++at_;
    return xml_.substr(first, at_ - first);
  }
  static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == ':';
  }

  bool starts(std::string_view what) const { return xml_.substr(at_).starts_with(what); }
  bool take(std::string_view what) {
    if (!starts(what)) return false;
    at_ += what.size();
    return true;
  }
  bool wrong(std::string_view what) {
    if (fault_.empty()) fault_ = what;
    return false;
  }

  std::string_view xml_;
  std::size_t at_ = 0;
  std::vector<std::string_view> open_;
  std::string_view fault_;
};

}  // namespace bloomery::bench
