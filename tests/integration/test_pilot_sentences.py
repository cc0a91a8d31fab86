"""Forms in one sentence, and other orders of which each part has to be met, in a real Chromium."""

from __future__ import annotations

import pytest

from tests.integration.browser_site import Carry, with_chromium

pytestmark = [pytest.mark.integration, with_chromium, pytest.mark.asyncio(loop_scope="module")]
SAY = "<p id=said></p><script>const say=(text)=>{said.textContent+=text+';'};</script>"
JOIN = f"""{SAY}<form id=form><label>Username <input id=user></label>
<label>Email address <input id=mail></label>
<label>Password <input type=password id=one></label>
<label>Confirm password <input type=password id=two></label>
<label><input type=checkbox id=terms> I agree to the terms</label>
<label><input type=checkbox> Send me news</label>
<button>Create an account</button></form><script>form.onsubmit=(event)=>{{event.preventDefault();
 say([user.value,mail.value,one.value,two.value,terms.checked]);form.remove()}}</script>"""
JOINED = "ann,a@b.example,Harbour77,Harbour77,true;"
WRITE = f"""{SAY}<h1>Contact</h1><form id=form><label>Name <input id=who></label>
<label>Email <input id=mail></label>
<label>Topic <select id=topic><option>General<option>Billing</select></label>
<label>Message <textarea id=text></textarea></label><button>Send message</button></form><script>
form.onsubmit=(event)=>{{event.preventDefault();say([who.value,mail.value,topic.value,text.value]);form.remove()}}
</script>"""
PAY = f"""{SAY}<label>Card number <input id=card></label><label>CVC <input id=code></label>
<button onclick="say([card.value,code.value])">Pay now</button><button onclick="say('no')">Cancel</button>"""
TAGS = f"""{SAY}<label>Title <input></label><label for=tag>Tags</label><span id=all></span><input id=tag
 placeholder="Add a tag"><script>tag.onkeydown=(event)=>{{if(event.key==='Enter'){{say(tag.value);
 all.innerHTML+='<b>'+tag.value+'</b> ';tag.value=''}}}}</script>"""
STAFF = (
    SAY
    + """<h1>Employees</h1><table id=all></table><div role=menu id=menu hidden></div><script>
for(const name of ['Ana Ruiz','Ben Cole','Gia Rossi']){const row=all.insertRow();
 row.insertCell().textContent=name;
 row.insertCell().innerHTML='<button aria-haspopup=menu aria-label=Actions>⋮</button>';
 row.querySelector('button').onclick=()=>{menu.hidden=false;menu.innerHTML='';
  for(const what of ['Deactivate','Delete','Reset password']){const item=document.createElement('div');
   item.role='menuitem';item.tabIndex=-1;item.textContent=what;menu.append(item);
   item.onclick=()=>{say(what+' '+name);menu.hidden=true}}}}</script>"""
)
FOLDER = f"""{SAY}<button id=new>New folder</button><dialog id=box><label>Folder name <input id=name></label>
<button onclick="say(name_());box.close()">Create</button></dialog><script>
const name_=()=>document.getElementById('name').value;
document.getElementById('new').onclick=()=>box.showModal()
</script>"""
CHATS = f"""{SAY}<ul><li><a href="#" id=anna>Anna</a><li><a href="#" id=bo>Bo</a></ul><div id=now></div>
<script>for(const one of [anna,bo])one.onclick=()=>{{now.innerHTML='<input aria-label=Message id=text>'
 +'<button>Send</button>';now.lastChild.onclick=()=>say(one.id+': '+text.value)}}</script>"""
DELIVERY = f"""{SAY}<section><h2>Delivery</h2><label><input type=radio name=d> Standard (free)</label>
<label><input type=radio name=d onclick="say('express')"> Express (+9.00)</label></section>
<section><h2>Payment</h2><label><input type=radio name=p> Card</label></section>"""
OPINION = f"""{SAY}<label>Your feedback <textarea id=text></textarea></label>
<button onclick="say(text.value)">Send feedback</button><button onclick="say('draft')">Save</button>"""
PRICES = (
    SAY
    + """<h1>Prices</h1><table id=all><tr><th>Product<th>Price<th>Stock</tr></table><script>
for(const cells of [['Apple','1.20','40'],['Pear','1.50','12']]){const row=all.insertRow();
 for(const text of cells)row.insertCell().textContent=text;
 row.cells[1].ondblclick=({target})=>{const old=target.textContent;target.innerHTML='<input>';
  const field=target.firstChild;field.value=old;field.focus();field.onkeydown=({key})=>{if(key==='Enter'){
   say(row.cells[0].textContent+' '+field.value);target.textContent=field.value}}}}</script>"""
)
PEOPLE = SAY + "<h1>Employees</h1><table>" + "".join(
    f"<tr><td><input type=checkbox onclick=\"say('{name}')\"><td>{name}<td>{city}</tr>"
    for name, city in (("Ana Ruiz", "Oslo"), ("Ben Cole", "Leeds"), ("Cara Lund", "Oslo"))
) + "</table>"  # fmt: skip
PAGED = PEOPLE + "<button>Previous</button><button onclick=\"say('next')\">Next</button>"
BUILT = f"""{SAY}<div><span>Priority</span><div style="cursor:pointer" id=list>Select…</div></div>
<button onclick="say('made')">Create ticket</button><script>list.onclick=()=>{{
 const menu=document.createElement('div');
 for(const text of ['Low','High']){{const one=document.createElement('div');one.textContent=text;
  one.style.cursor='pointer';one.onclick=()=>{{list.textContent=text;menu.remove();say(text)}};menu.append(one)}}
 list.after(menu)}}</script>"""
POST = TAGS + """<button onclick="say(document.querySelector('label input').value)">Publish</button>"""
BOOK = f"""{SAY}<label>Stylist <select onchange="say(value)"><option>Anyone<option>Mia</select></label>
<label>Day <input type=date onchange="say(value)"></label>"""
CABINS = f"""{SAY}<label>Check-in <input type=date id=a></label>
<label>Check-out <input type=date id=b></label>
<button onclick="say([a.value,b.value])">Search cabins</button>"""
OPEN = OPINION + """<label><input type=checkbox onclick="say('call')"> Contact me</label>"""
RIGHT = {
    "Add the tag “sea” and publish the post with the title “Holiday”": (POST, "sea;Holiday;"),
    "Pick the stylist Mia and the day 3 March 2027": (BOOK, "Mia;2027-03-03;"),
    "Find cabins from 3 May 2027 to 7 May 2027": (CABINS, "2027-05-03,2027-05-07;"),
    "Write “Too slow” as feedback, tick Contact me and send it": (OPEN, "call;Too slow;"),
    "Set the price of Pear to 1.75": (PRICES, "Pear 1.75;"),
    "Change the price of Apple to “2.00”": (PRICES, "Apple 2.00;"),
    "Select all employees from Oslo": (PEOPLE, "Ana Ruiz;Cara Lund;"),
    "Set the priority to High": (BUILT, "High;"),
    "Sign up as “ann” with the email “a@b.example” and the password “Harbour77”. Accept the terms first.": (
        JOIN, JOINED,
    ),
    "Create an account with the username ann, the email a@b.example and the password Harbour77, and accept "
    "the terms": (JOIN, JOINED),
    "Register with the username ann, the email a@b.example and the password Harbour77. Agree to the terms.": (
        JOIN, JOINED,
    ),
    "Send the message “Where is it?” with the name Ann Lee, the email a@b.example and the topic Billing": (
        WRITE, "Ann Lee,a@b.example,Billing,Where is it?;",
    ),
    "Pay with the card number 4111 1111 and CVC 123": (PAY, "4111 1111,123;"),
    "Add the tags alps and lake": (TAGS, "alps;lake;"),
    "Deactivate Ben Cole": (STAFF, "Deactivate Ben Cole;"),
    "Reset the password of Gia Rossi": (STAFF, "Reset password Gia Rossi;"),
    "Make a folder named Taxes 2027": (FOLDER, "Taxes 2027;"),
    "Write to Bo: I am late": (CHATS, "bo: I am late;"),
    "Choose express delivery": (DELIVERY, "express;"),
    "Send the feedback “Great site”": (OPINION, "Great site;"),
}  # fmt: skip
REFUSED = {
    "Register with the username ann, the shoe size 40 and the password Harbour77": JOIN,
    "Send the message “Where is it?” with the name Ann Lee and the topic Press": WRITE,
    "Send the message “Where is it?” with the name Ann Lee": WRITE,
    "Pay with the card number 4111 1111": PAY,
    "Send the message “Where is it?” to Bob with the name Ann Lee": WRITE,
    "Pay the rent with the card number 4111 1111 and CVC 123": PAY,
    "Deactivate Ben Stone": STAFF,
    "Reset the photo of Gia Rossi": STAFF,
    "Choose express payment": DELIVERY,
    "Set the price of Plum to 1.75": PRICES,
    "Set the stock of Pear to 1.75": PRICES,
    "Select all employees from Oslo": PAGED,
    "Select all employees from Rome": PEOPLE,
    "Set the priority to Urgent": BUILT,
    "Set the urgency to High": BUILT,
}


@pytest.mark.parametrize(("task", "page"), RIGHT.items(), ids=RIGHT)
async def test_a_form_in_a_sentence_is_filled_and_sent(
    task: str, page: tuple[str, str], carry: Carry
) -> None:
    report, said = await carry(page[0], task)
    assert (said, report.failed or ()) == (page[1], ())


@pytest.mark.parametrize(("task", "body"), REFUSED.items(), ids=REFUSED)
async def test_nothing_is_written_where_a_part_is_not_met(task: str, body: str, carry: Carry) -> None:
    report, said = await carry(body, task)
    assert (said, report.ok) == ("", False)
    assert not any(one.startswith("wrote") for one in report.did)
