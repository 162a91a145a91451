//! `hs combien`: groups, what is not shown, keys that are not there.

use super::{hs, ran, ran_with_input};

run!(help_of_combien, "combien", "-h");
run!(combien_csv, "combien", "orders.csv", "customer", "-n", "3");
run!(
    combien_as_json,
    "count",
    "orders.xlsx",
    "month",
    "paid",
    "-n",
    "2",
    "--format",
    "json"
);
run!(
    combien_all,
    "combien",
    "months/2026-*.csv",
    "source",
    "-n",
    "all",
    "--format",
    "csv"
);
run!(combien_unknown_key, "combien", "orders.csv", "custmer");
run!(combien_key_twice, "combien", "orders.csv", "paid", "paid");
run!(combien_without_key, "combien", "orders.csv");
run!(
    combien_wrong_number,
    "combien",
    "orders.csv",
    "paid",
    "-n",
    "some"
);
run!(combien_all_sheets, "combien", "orders.xlsx#*", "month");

#[test]
fn missing_blank_and_own_names() {
    let text = b"n,share\n\" \",1\n,1\n\"\",1\n\" \",2\n";
    insta::assert_snapshot!(ran_with_input(hs(&["combien", "-", "n", "share"]), text));
}

run!(
    combien_keys_with_a_comma,
    "combien",
    "orders.csv",
    "customer,code"
);
